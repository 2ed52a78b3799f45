namespace Ambrosia.ImmortalCoordinator.Core;

/// <summary>
/// The loops of one core. One that ends by a failure takes the whole instance with it: crash-only, recovery is the only repair.
/// </summary>
internal sealed class CoreLoops(CancellationToken stopping)
{
    private readonly TaskCompletionSource<Exception> _failed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly List<Task> _running = [];

    /// <summary>Completes with the first failure.</summary>
    public Task<Exception> Failed => _failed.Task;

    public void Fail(Exception error) => _failed.TrySetResult(error);

    public void Start(Func<Task> loop) => _running.Add(GuardAsync(loop));

    /// <summary>Completes when all have ended.</summary>
    public Task EndAsync() => Task.WhenAll(_running);

    private async Task GuardAsync(Func<Task> loop)
    {
        try
        {
            await loop();
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested)
        {
            // Ended on purpose.
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            Fail(error);
        }
    }
}
