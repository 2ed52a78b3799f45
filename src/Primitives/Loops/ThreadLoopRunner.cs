namespace Ambrosia.Primitives.Loops;

/// <summary>Runs each loop on a thread of its own, so that a blocking write or sync never takes a thread of the pool.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ThreadLoopRunner : ILoopRunner
{
    public Task Start(string name, Func<Task> loop) => LoopThread.Start(name, loop);

    public Task StartInBackground(string name, Func<Task> loop) => LoopThread.StartInBackground(name, loop);
}
