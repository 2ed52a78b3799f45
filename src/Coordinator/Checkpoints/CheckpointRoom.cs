using Ambrosia.LogStore;
using Ambrosia.LogStore.Storage;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Checkpoints;

/// <summary>
/// Keeps other replicas from giving a checkpoint its name while the primary decides about a message: it has the checkpointer's lock meanwhile, and what was begun under that before can be named no more.
/// </summary>
/// <param name="log">The log beside which the lock is.</param>
/// <param name="patience">How long the checkpointer is waited for.</param>
/// <param name="time">The clock.</param>
/// <param name="stopping">Ends the waiting.</param>
internal sealed class CheckpointRoom(WriteAheadLog log, TimeSpan patience, TimeProvider time, CancellationToken stopping)
{
    private CancellationTokenSource? _waiting;
    private bool _abandoned;

    /// <summary>Returns when the lock is there; until it is given back no other replica's checkpoint gets its name.</summary>
    /// <exception cref="InvalidOperationException">Whoever makes the checkpoints did not step back in time.</exception>
    /// <exception cref="OperationCanceledException">The coordinator stops.</exception>
    public async ValueTask<ILogLease> EnterAsync(MessagePosition message)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(stopping);
        await using ITimer timer = time.CreateTimer(static source => ((CancellationTokenSource)source!).Cancel(), limit, patience, Timeout.InfiniteTimeSpan);
        _waiting = limit;
        try
        {
            return (await log.AcquireSideLockAsync(SideLocks.Checkpointer, wait: true, limit.Token))!;
        }
        catch (OperationCanceledException) when (!_abandoned && !stopping.IsCancellationRequested)
        {
            string holder = await log.ReadSideHolderAsync(SideLocks.Checkpointer) ?? "nobody any more";
            throw new InvalidOperationException(
                $"{ProcessErrors.CannotQuarantine} {message} cannot be quarantined: the replica that makes the checkpoints, whose app may have survived it, did not step back within {patience.TotalSeconds:0.#} s ({holder}); end it if it does not move");
        }
        finally
        {
            _waiting = null;
        }
    }

    /// <summary>The log ends: nothing is decided any more.</summary>
    public void Abandon()
    {
        _abandoned = true;
        _waiting?.Cancel();
    }
}
