namespace Ambrosia.Coordinator.Context;

/// <summary>
/// The loops of one core. One that ends by a failure takes the whole instance with it: crash-only, recovery is the only repair.
/// </summary>
internal sealed class CoreLoops(CancellationToken stopping)
{
    private readonly TaskCompletionSource<Exception> _failed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private const int CleaningStep = 64;
    private readonly List<Task> _running = [];
    private int _nextCleaning = CleaningStep;

    /// <summary>Completes with the first failure.</summary>
    public Task<Exception> Failed => _failed.Task;

    public void Fail(Exception error) => _failed.TrySetResult(error);

    /// <summary>Loops that are remembered, a few that have ended among them.</summary>
    public int Count => _running.Count;

    /// <summary>Starts one. Peers can bring about that there are ever new ones, so those that have ended are forgotten.</summary>
    public void Start(Func<Task> loop)
    {
        if (_running.Count >= _nextCleaning)
        {
            _running.RemoveAll(static task => task.IsCompletedSuccessfully);
            _nextCleaning = Math.Max(CleaningStep, 2 * _running.Count);
        }

        _running.Add(GuardAsync(loop));
    }

    /// <summary>
    /// Does what was posted to the core. A failure ends the instance, as one of a loop does: nothing stands above a posted callback that
    /// could catch it, and the process that it would end may be an app's own.
    /// </summary>
    /// <returns>Whether it was done.</returns>
    public bool Do(Action act)
    {
        try
        {
            act();
            return true;
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            Fail(error);
            return false;
        }
    }

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
