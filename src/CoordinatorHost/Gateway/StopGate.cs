namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>Counts what is being answered, so that a stop can wait for it, and tells it when the waiting is over.</summary>
internal sealed class StopGate : IDisposable
{
    private readonly object _gate = new();
    private readonly CancellationTokenSource _closing = new();
    private readonly CancellationTokenSource _ended = new();
    private readonly TaskCompletionSource _empty = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _open;
    private bool _isClosed;

    /// <summary>Takes requests.</summary>
    public StopGate() => (Closing, Ended) = (_closing.Token, _ended.Token); // Those of a source that is disposed could not be asked for.

    /// <summary>Whether nothing more is taken.</summary>
    public bool IsClosed
    {
        get
        {
            lock (_gate)
            {
                return _isClosed;
            }
        }
    }

    /// <summary>Requests that are being answered.</summary>
    public int Open
    {
        get
        {
            lock (_gate)
            {
                return _open;
            }
        }
    }

    /// <summary>Nothing more is taken: what has no end of its own ends now.</summary>
    public CancellationToken Closing { get; }

    /// <summary>The time for a stop is over: what waits still is told so.</summary>
    public CancellationToken Ended { get; }

    /// <summary>Begins a request, which <see cref="Leave"/> ends; false if nothing more is taken.</summary>
    public bool TryEnter()
    {
        lock (_gate)
        {
            _open += _isClosed ? 0 : 1;
            return !_isClosed;
        }
    }

    /// <summary>A request has been answered.</summary>
    public void Leave()
    {
        lock (_gate)
        {
            _open--;
            if (_isClosed && _open == 0)
            {
                _empty.TrySetResult();
            }
        }
    }

    /// <summary>Takes nothing more, waits for what is being answered, and ends that when the time is over.</summary>
    /// <param name="patience">How long it waits.</param>
    /// <param name="farewell">How long what was ended may take to say so.</param>
    /// <param name="time">Clock.</param>
    /// <returns>How many had to be ended.</returns>
    public async Task<int> CloseAsync(TimeSpan patience, TimeSpan farewell, TimeProvider time)
    {
        lock (_gate)
        {
            _isClosed = true;
            if (_open == 0)
            {
                _empty.TrySetResult();
            }
        }

        await _closing.CancelAsync();
        if (await WaitAsync(patience, time))
        {
            return 0;
        }

        int ended = Open;
        await _ended.CancelAsync();
        await WaitAsync(farewell, time);
        return ended;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _closing.Dispose();
        _ended.Dispose();
    }

    private async Task<bool> WaitAsync(TimeSpan patience, TimeProvider time)
    {
        try
        {
            await _empty.Task.WaitAsync(patience, time);
            return true;
        }
        catch (TimeoutException)
        {
            return false;
        }
    }
}
