using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Storage;
using Ambrosia.Primitives.Threading;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Checkpoints;

/// <summary>
/// Keeps other replicas from giving a checkpoint its name while the primary decides about a message, or changes version or build: it has
/// the checkpointer's lease meanwhile, and what was begun under that before can be named no more. replicas.md has the rules.
/// </summary>
/// <param name="log">The log beside which the lease is.</param>
/// <param name="decisions">Where the checkpointer reads that it is to step back.</param>
/// <param name="patience">How long the checkpointer is waited for before a message is quarantined.</param>
/// <param name="upgradePatience">How long the checkpointer is waited for before an upgrade.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">Receives who keeps an upgrade waiting.</param>
/// <param name="stopping">Ends the waiting.</param>
internal sealed class CheckpointBarrier(
    WriteAheadLog log, DecisionLog decisions, TimeSpan patience, TimeSpan upgradePatience, TimeProvider time, ILogger logger,
    CancellationToken stopping)
{
    private ILogLease? _forUpgrade;
    private int _begun; // Upgrades and changes of builds for which it is held.
    private CancellationTokenSource? _waiting;
    private CancellationTokenSource? _waitingForUpgrade;
    private bool _abandoned, _upgradeAbandoned;

    /// <summary>Returns when the lease is there; until it is given back no other replica's checkpoint gets its name.</summary>
    /// <exception cref="InvalidOperationException">The checkpointer did not step back in time.</exception>
    /// <exception cref="OperationCanceledException">The coordinator stops.</exception>
    public async ValueTask<ILogLease> EnterAsync(MessagePosition message)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(stopping);
        await using ITimer timer = CancelAfter(patience, limit);
        _waiting = limit;
        try
        {
            return (await log.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: true, limit.Token))!;
        }
        catch (OperationCanceledException) when (!_abandoned && !stopping.IsCancellationRequested)
        {
            string holder = await log.ReadSideHolderAsync(NamedLeases.Checkpointer) ?? "nobody any more";
            throw new InvalidOperationException(
                $"{ProcessErrors.CannotQuarantine} {message} cannot be quarantined: the replica that makes the checkpoints, whose app may "
                + $"have survived it, did not step back within {patience.TotalSeconds:0.#} s ({holder}); end it if it does not move");
        }
        finally
        {
            _waiting = null;
        }
    }

    /// <summary>The log ends: no message is decided about any more.</summary>
    public void Abandon()
    {
        _abandoned = true;
        _waiting?.Cancel();
    }

    /// <summary>
    /// Before a new version may commit, or an app of another build act: says in the log that it is tried, and keeps other replicas from
    /// making checkpoints of the old one after that. Who has begun ends it, by <see cref="EndUpgradeAsync"/>.
    /// </summary>
    /// <returns>False if another replica did not step back in time, or the wait was given up: nothing has begun.</returns>
    public async ValueTask<bool> BeginUpgradeAsync(VersionChange planned)
    {
        if (_forUpgrade is not null)
        {
            _begun++;
            return true;
        }

        using var limit = CancellationTokenSource.CreateLinkedTokenSource(stopping);
        await using ITimer timer = CancelAfter(upgradePatience, limit);
        _upgradeAbandoned = false;
        Task<ILogLease?> waiting = log.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: true, limit.Token).AsTask();
        _waitingForUpgrade = limit;
        try
        {
            await decisions.LogAsync(planned); // The checkpointer steps back when it reads this.
            _forUpgrade = await waiting;
        }
        catch (OperationCanceledException) when (waiting.IsCanceled && !stopping.IsCancellationRequested)
        {
            await TellHolderAsync();
            return false;
        }
        finally
        {
            _waitingForUpgrade = _waitingForUpgrade == limit ? null : _waitingForUpgrade;
            if (_forUpgrade is null)
            {
                await GiveBackAsync(waiting, limit);
            }
        }

        _begun++;
        await decisions.LogAsync(planned); // After the last checkpoint that it had begun.
        return true;
    }

    /// <summary>The app has gone for which the checkpointer is waited for: another one must not have to wait for that.</summary>
    public void AbandonUpgrade()
    {
        _upgradeAbandoned = true;
        _waitingForUpgrade?.Cancel();
    }

    /// <summary>An attempt that had begun is over: after the last one other replicas may make checkpoints again.</summary>
    public ValueTask EndUpgradeAsync() => --_begun == 0 ? LeaveAsync() : default;

    /// <summary>The log has ended, and with it all attempts.</summary>
    public async ValueTask LeaveAsync()
    {
        if (_forUpgrade is { } held)
        {
            _forUpgrade = null;
            await held.DisposeAsync();
        }
    }

    // Who is tried again without an end must not be so in silence.
    private async ValueTask TellHolderAsync()
    {
        if (_upgradeAbandoned)
        {
            return;
        }

        try
        {
            string holder = await log.ReadSideHolderAsync(NamedLeases.Checkpointer) ?? "one that has gone since";
            CoreLog.CheckpointerStays(logger, holder, upgradePatience.TotalSeconds);
        }
        catch (LogStoreException error)
        {
            CoreLog.CheckpointerStays(logger, error.Message, upgradePatience.TotalSeconds);
        }
    }

    // Nobody waits for it any more. If it came all the same, this process would keep it, and no replica make checkpoints.
    private static async ValueTask GiveBackAsync(Task<ILogLease?> waiting, CancellationTokenSource limit)
    {
        FirstOf.Cancel(limit);
        try
        {
            await (await waiting is { } lease ? lease.DisposeAsync() : default);
        }
        catch (OperationCanceledException)
        {
            // It had not come.
        }
    }

    private ITimer CancelAfter(TimeSpan limit, CancellationTokenSource source) => time.CreateTimer(
        static source => ((CancellationTokenSource)source!).Cancel(), source, limit, Timeout.InfiniteTimeSpan);
}
