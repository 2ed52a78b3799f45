namespace Ambrosia.CoordinatorHost;

/// <summary>A request to stop that anybody may make, once: a signal, the owner's end, the admin address.</summary>
public sealed class StopRequest : IDisposable
{
    private readonly CancellationTokenSource _requested = new();
    private readonly object _gate = new();
    private string? _reason;
    private TimeSpan _limit = TimeSpan.MaxValue;

    /// <summary>Cancelled when somebody asked.</summary>
    public CancellationToken Token => _requested.Token;

    /// <summary>What asked first and why; empty before.</summary>
    public string Reason => Volatile.Read(ref _reason) ?? "";

    /// <summary>Shortest time within which somebody wants the process to be gone.</summary>
    public TimeSpan Limit
    {
        get
        {
            lock (_gate)
            {
                return _limit;
            }
        }
    }

    /// <summary>Asks. Later requests can only shorten the time.</summary>
    /// <param name="reason">Completes the sentence "stopping because ...".</param>
    /// <param name="limit">Time within which the process has to be gone; null: as long as draining may take.</param>
    public void Ask(string reason, TimeSpan? limit = null)
    {
        lock (_gate)
        {
            _reason ??= reason;
            _limit = limit < _limit ? limit.Value : _limit;
        }

        _requested.Cancel();
    }

    /// <inheritdoc/>
    public void Dispose() => _requested.Dispose();
}
