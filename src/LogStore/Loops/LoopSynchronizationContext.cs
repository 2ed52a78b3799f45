namespace Ambrosia.LogStore.Loops;

/// <summary>Queue of continuations that one thread executes until its loop has ended.</summary>
internal sealed class LoopSynchronizationContext : SynchronizationContext
{
    private readonly object _gate = new();
    private readonly Queue<(SendOrPostCallback Callback, object? State)> _ready = new();
    private bool _ended;

    /// <summary>Executes the loop on the calling thread and then completes <paramref name="ended"/> as the loop ended.</summary>
    public static void Run(Func<Task> loop, TaskCompletionSource ended)
    {
        var context = new LoopSynchronizationContext();
        SetSynchronizationContext(context);
        Task task;
        try
        {
            task = loop();
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            ended.SetException(error);
            return;
        }

        task.ContinueWith(static (_, state) => ((LoopSynchronizationContext)state!).End(), context, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        context.RunUntilEnded();
        if (task.IsFaulted)
        {
            ended.SetException(task.Exception.InnerExceptions);
        }
        else if (task.IsCanceled)
        {
            ended.SetCanceled();
        }
        else
        {
            ended.SetResult();
        }
    }

    public override void Post(SendOrPostCallback d, object? state)
    {
        lock (_gate)
        {
            _ready.Enqueue((d, state));
            Monitor.Pulse(_gate);
        }
    }

    public override void Send(SendOrPostCallback d, object? state) =>
        throw new NotSupportedException("A loop is only posted to: a blocking call into it could wait for itself.");

    private void End()
    {
        lock (_gate)
        {
            _ended = true;
            Monitor.Pulse(_gate);
        }
    }

    private void RunUntilEnded()
    {
        while (true)
        {
            (SendOrPostCallback Callback, object? State) next;
            lock (_gate)
            {
                while (_ready.Count == 0)
                {
                    if (_ended)
                    {
                        return;
                    }

                    Monitor.Wait(_gate);
                }

                next = _ready.Dequeue();
            }

            next.Callback(next.State);
        }
    }
}
