using System.Collections.Concurrent;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>Runs an asynchronous method and all its continuations on one thread, as the coordinator's core does.</summary>
public sealed class SingleThread : SynchronizationContext
{
    private readonly BlockingCollection<(SendOrPostCallback Callback, object? State)> _queue = [];

    public static Task Run(Func<Task> body)
    {
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        new Thread(() => new SingleThread().Loop(body, ended)) { IsBackground = true }.Start();
        return ended.Task;
    }

    public override void Post(SendOrPostCallback d, object? state)
    {
        try
        {
            _queue.Add((d, state));
        }
        catch (InvalidOperationException)
        {
            base.Post(d, state); // The body has ended, and something that it left behind goes on.
        }
    }

    private void Loop(Func<Task> body, TaskCompletionSource ended)
    {
        SetSynchronizationContext(this);
        body().ContinueWith(
            task =>
            {
                _queue.CompleteAdding();
                if (task.IsCanceled)
                {
                    ended.SetCanceled(); // As when something was waited for in vain: that is no success.
                }
                else if (task.Exception is { } error)
                {
                    ended.SetException(error.InnerExceptions);
                }
                else
                {
                    ended.SetResult();
                }
            },
            TaskScheduler.Default);
        foreach (var (callback, state) in _queue.GetConsumingEnumerable())
        {
            callback(state);
        }
    }
}
