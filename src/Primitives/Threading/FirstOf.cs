namespace Ambrosia.Primitives.Threading;

/// <summary>
/// Waits without leaving the caller's context. Task.WhenAny, Task.WaitAsync and CancelAsync go through the thread pool when what they wait
/// for completes asynchronously: a simulated world cannot follow them there, its time would pass meanwhile, or not.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class FirstOf
{
    /// <summary>Completes when either has ended, however it ended.</summary>
    public static Task EndsAsync(Task one, Task other)
    {
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _ = ForwardAsync(one, ended);
        _ = ForwardAsync(other, ended);
        return ended.Task;
    }

    /// <summary>Completes as the awaited task does; with a cancellation if the token comes first.</summary>
    public static async Task OrCancelAsync(Task awaited, CancellationToken cancellationToken)
    {
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using (cancellationToken.UnsafeRegister(static (state, token) => ((TaskCompletionSource)state!).TrySetCanceled(token), ended))
        {
            _ = ForwardAsync(awaited, ended);
            await ended.Task;
            await awaited; // Says how it has ended.
        }
    }

    /// <summary>Cancels on the caller's context; the token's callbacks only complete tasks.</summary>
    public static void Cancel(CancellationTokenSource source) => source.Cancel();

    private static async Task ForwardAsync(Task awaited, TaskCompletionSource ended)
    {
        await awaited.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        ended.TrySetResult();
    }
}
