namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>One that watches a query.</summary>
/// <param name="watch">What it watches.</param>
/// <param name="leave">Ends that.</param>
internal sealed class WatchPlace(QueryWatch watch, Action leave) : IDisposable
{
    /// <summary>The first answer, as a query that is asked once is answered.</summary>
    /// <param name="atLeast">The record after which it must be true.</param>
    /// <param name="wait">How long to wait for it.</param>
    /// <param name="time">Clock.</param>
    /// <param name="gone">Nobody waits any more.</param>
    /// <exception cref="ProblemException">There is none.</exception>
    public async Task<WatchedValue> FirstAsync(ulong atLeast, TimeSpan wait, TimeProvider time, CancellationToken gone)
    {
        using var patience = new CancellationTokenSource(wait, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(patience.Token, gone);
        try
        {
            return await watch.NextAsync(0, atLeast, either.Token);
        }
        catch (OperationCanceledException) when (!gone.IsCancellationRequested)
        {
            throw new ProblemException(IngressCalls.NotExecutedYet(atLeast));
        }
    }

    /// <summary>The next one that differs.</summary>
    /// <exception cref="ProblemException">There will be none.</exception>
    public ValueTask<WatchedValue> NextAsync(WatchedValue seen, CancellationToken stop) => watch.NextAsync(seen.Version, 0, stop);

    /// <inheritdoc/>
    public void Dispose() => leave();
}
