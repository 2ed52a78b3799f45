namespace Ambrosia.CrashPoints.Tests.Scripts;

/// <summary>The one thread on which a coordinator and its app run, until a goal is reached or nothing is left to run.</summary>
internal sealed class CoreLoop : SynchronizationContext
{
    private readonly Queue<(SendOrPostCallback Callback, object? State)> _ready = new();

    public override void Post(SendOrPostCallback d, object? state)
    {
        lock (_ready)
        {
            _ready.Enqueue((d, state));
        }
    }

    public override void Send(SendOrPostCallback d, object? state) => throw new NotSupportedException("The loop is only posted to.");

    /// <summary>Runs what is posted until the goal is reached; false when nothing is left to run before.</summary>
    public bool Run(Action begin, Func<bool> reached)
    {
        SynchronizationContext? before = Current;
        SetSynchronizationContext(this);
        try
        {
            begin();
            while (!reached())
            {
                if (!TryTake(out (SendOrPostCallback Callback, object? State) next))
                {
                    // What left this thread (a few library continuations) comes back at once.
                    SpinWait.SpinUntil(() => ThreadPool.PendingWorkItemCount == 0 || _ready.Count > 0, 1000);
                    SpinWait.SpinUntil(() => _ready.Count > 0, 2);
                    if (!TryTake(out next))
                    {
                        return false;
                    }
                }

                next.Callback(next.State);
            }

            return true;
        }
        finally
        {
            SetSynchronizationContext(before);
        }
    }

    private bool TryTake(out (SendOrPostCallback Callback, object? State) next)
    {
        lock (_ready)
        {
            return _ready.TryDequeue(out next);
        }
    }
}
