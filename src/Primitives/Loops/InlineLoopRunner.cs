namespace Ambrosia.Primitives.Loops;

/// <summary>Runs loops on the caller's SynchronizationContext: a simulator's single thread, or a test.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class InlineLoopRunner : ILoopRunner
{
    public Task Start(string name, Func<Task> loop) => loop();
}
