namespace Ambrosia.Testing.Virtual;

/// <summary>
/// One thread of a virtual process: a queue of continuations in order. Nothing of it runs once the process is dead, or while it is paused.
/// </summary>
internal sealed class VirtualContext(VirtualLoop loop, VirtualProcess process) : SynchronizationContext
{
    private readonly object _gate = new();
    private readonly Queue<(SendOrPostCallback Callback, object? State)> _queue = new();
    private bool _listed;

    public VirtualProcess Process => process;

    /// <summary>Tells the world's threads apart: the same number in every run of a seed.</summary>
    public int Number { get; } = loop.NextContext();

    public override void Post(SendOrPostCallback d, object? state)
    {
        loop.CheckThread();
        lock (_gate)
        {
            if (!process.Alive)
            {
                return;
            }

            _queue.Enqueue((d, state));
            if (_listed)
            {
                return;
            }

            _listed = true;
        }

        loop.Enqueue(this);
    }

    public override void Send(SendOrPostCallback d, object? state) =>
        throw new NotSupportedException("A blocking call into the test's world would wait for itself: await instead.");

    public void RunOne()
    {
        (SendOrPostCallback Callback, object? State) next;
        bool more;
        lock (_gate)
        {
            if (!process.Alive)
            {
                _queue.Clear();
                return;
            }

            next = _queue.Dequeue();
            more = _listed = _queue.Count > 0;
        }

        if (more)
        {
            loop.Enqueue(this);
        }

        SynchronizationContext? outer = Current;
        SetSynchronizationContext(this);
        try
        {
            next.Callback(next.State);
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            loop.Escaped ??= error;
        }
        finally
        {
            SetSynchronizationContext(outer);
        }
    }
}
