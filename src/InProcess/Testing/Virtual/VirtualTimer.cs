namespace Ambrosia.Testing.Virtual;

/// <summary>
/// A timer in virtual time; silent once its process is dead. It rings on the context that made it, so that whatever it starts stays there.
/// </summary>
internal sealed class VirtualTimer(VirtualLoop loop, VirtualProcess process, TimerCallback callback, object? state) : ITimer
{
    private readonly SynchronizationContext? _context = SynchronizationContext.Current;
    private TimeSpan _period = Timeout.InfiniteTimeSpan;
    private bool _active;
    private bool _disposed;

    /// <summary>When it rings next; an earlier place in the queue is out of date.</summary>
    public long Due { get; set; }

    public bool Change(TimeSpan dueTime, TimeSpan period)
    {
        _period = period;
        _active = dueTime != Timeout.InfiniteTimeSpan;
        if (_active)
        {
            loop.Schedule(this, loop.Now + Math.Max(0, dueTime.Ticks));
        }

        return true;
    }

    public void Fire()
    {
        if (!_active || !process.Alive || Due > loop.Now)
        {
            return;
        }

        _active = false;
        if (_period > TimeSpan.Zero)
        {
            Change(_period, _period);
        }

        if (_context is VirtualContext context)
        {
            context.Post(_ => Ring(), null);
        }
        else
        {
            Ring();
        }
    }

    public void Dispose() => (_active, _disposed) = (false, true);

    public ValueTask DisposeAsync()
    {
        Dispose();
        return default;
    }

    // Code that has waited for the end of a timer relies on it that it rings no more.
    private void Ring()
    {
        if (!_disposed)
        {
            callback(state);
        }
    }
}
