namespace Ambrosia.Primitives.Threading;

/// <summary>Wakes every loop that waits, each on its own context. For rare waits: a wait costs a small object.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ContextEvent
{
    private TaskCompletionSource? _waiters;

    /// <summary>Completes at the next <see cref="Pulse"/>.</summary>
    public Task WaitAsync() => (_waiters ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

    public void Pulse()
    {
        TaskCompletionSource? waiters = _waiters;
        _waiters = null;
        waiters?.SetResult();
    }
}
