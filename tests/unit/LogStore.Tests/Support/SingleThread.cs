using System.Collections.Concurrent;

namespace Ambrosia.LogStore.Tests.Support;

/// <summary>Runs asynchronous code, all its loops included, on the calling thread in one fixed order.</summary>
public sealed class SingleThread : SynchronizationContext
{
    private readonly ConcurrentQueue<(SendOrPostCallback Callback, object? State)> _ready = new();

    /// <summary>Runs to the end. Work that waits for ever is an error, not a hang.</summary>
    public static void Run(Func<Task> work)
    {
        SynchronizationContext? before = Current;
        var context = new SingleThread();
        SetSynchronizationContext(context);
        try
        {
            Task task = work();
            while (!task.IsCompleted)
            {
                Assert.True(context._ready.TryDequeue(out (SendOrPostCallback Callback, object? State) next),
                    "Nothing can run, and the work is not done: a lost wake-up.");
                next.Callback(next.State);
            }

            task.GetAwaiter().GetResult();
        }
        finally
        {
            SetSynchronizationContext(before);
        }
    }

    public override void Post(SendOrPostCallback d, object? state) => _ready.Enqueue((d, state));
}
