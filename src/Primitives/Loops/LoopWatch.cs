using Ambrosia.Primitives.Threading;

namespace Ambrosia.Primitives.Loops;

/// <summary>
/// Tells one loop when a descriptor has become readable or writable. Edges, not levels: a waiter has tried first, tries again when woken,
/// and may be woken for nothing.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class LoopWatch : IDisposable
{
    private readonly LoopPoller _poller;
    private readonly AsyncSignal _readable = new();
    private readonly AsyncSignal _writable = new();

    internal LoopWatch(LoopPoller poller, ulong id) => (_poller, Id) = (poller, id);

    internal ulong Id { get; }

    /// <summary>Completes when there may be something to read. One waiter at a time.</summary>
    public ValueTask WaitReadableAsync() => _readable.WaitAsync();

    /// <summary>Completes when there may be room to write. One waiter at a time.</summary>
    public ValueTask WaitWritableAsync() => _writable.WaitAsync();

    /// <summary>Wakes what waits, from any thread: something else than the descriptor has changed.</summary>
    public void WakeAll()
    {
        _readable.Set();
        _writable.Set();
    }

    /// <summary>Wakes the reader alone.</summary>
    public void WakeReader() => _readable.Set();

    /// <summary>Wakes the writer alone.</summary>
    public void WakeWriter() => _writable.Set();

    /// <summary>Ends the watch and wakes what waits. The descriptor is the caller's to close.</summary>
    public void Dispose()
    {
        _poller.Forget(this);
        WakeAll();
    }

    internal void Signal(uint events)
    {
        const uint End = Epoll.Error | Epoll.HangUp;
        if ((events & (Epoll.Readable | Epoll.PeerHangUp | End)) != 0)
        {
            _readable.Set();
        }

        if ((events & (Epoll.Writable | End)) != 0)
        {
            _writable.Set();
        }
    }
}
