namespace Ambrosia.Primitives.Sockets;

/// <summary>One pending operation that can be cancelled from outside, again and again; allocates only when that happens.</summary>
[System.Diagnostics.CodeAnalysis.SuppressMessage("Design", "CA1001",
    Justification = "A source without a timer or a wait handle holds nothing.")]
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class CancelOnDemand
{
    private readonly object _gate = new();
    private CancellationTokenSource _source = new();
    private bool _asked;
    private bool _closed;

    /// <summary>Cancelled by the next <see cref="Cancel"/>.</summary>
    public CancellationToken Token
    {
        get
        {
            lock (_gate)
            {
                return _source.Token;
            }
        }
    }

    /// <summary>Whether it was asked and not yet answered.</summary>
    public bool IsAsked
    {
        get
        {
            lock (_gate)
            {
                return _asked;
            }
        }
    }

    /// <summary>Cancels the operation that is pending, or the next one.</summary>
    public void Cancel()
    {
        CancellationTokenSource? source = null;
        lock (_gate)
        {
            if (!_asked && !_closed)
            {
                _asked = true;
                source = _source;
            }
        }

        source?.Cancel();
    }

    /// <summary>Answers a request: true once for each.</summary>
    public bool TryConsume()
    {
        lock (_gate)
        {
            if (!_asked)
            {
                return false;
            }

            _asked = false;
            _source = new CancellationTokenSource();
            return true;
        }
    }

    /// <summary>Nothing is pending any more, and nothing will be.</summary>
    public void Close()
    {
        lock (_gate)
        {
            _closed = true;
        }
    }
}
