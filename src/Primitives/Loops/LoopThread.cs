namespace Ambrosia.Primitives.Loops;

/// <summary>A thread of its own for one asynchronous loop.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class LoopThread
{
    /// <summary>Runs the loop, every continuation of it included, on a new thread. The task ends as the loop ends.</summary>
    public static Task Start(string name, Func<Task> loop) => Start(name, loop, static () => { });

    /// <summary>The same on a thread that gives way to others: <see cref="BackgroundThread"/>.</summary>
    public static Task StartInBackground(string name, Func<Task> loop) => Start(name, loop, BackgroundThread.GiveWay);

    private static Task Start(string name, Func<Task> loop, Action prepare)
    {
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var thread = new Thread(() =>
        {
            prepare();
            LoopSynchronizationContext.Run(loop, ended);
        })
        {
            Name = name,
            IsBackground = true,
        };
        thread.Start();
        return ended.Task;
    }
}
