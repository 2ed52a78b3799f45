using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.Coordinator.Checkpoints;

/// <summary>
/// The named lease of the one secondary that takes the checkpoints, as long as it lives and follows: the primary's app is not asked then.
/// replicas.md and quarantine.md have the rules.
/// </summary>
/// <param name="log">The log beside which the lease is.</param>
/// <param name="append">The right to append: the primary has no use for this lease.</param>
/// <param name="position">How far this process follows.</param>
/// <param name="loops">The loops of the instance.</param>
/// <param name="time">The clock.</param>
internal sealed class CheckpointerLease(WriteAheadLog log, AppendLease append, LogPosition position, CoreLoops loops, TimeProvider time)
{
    // Empty records are nothing to the app, and several replicas may see such a word late: long enough for the primary, which waits
    // already, to be the next.
    private static readonly TimeSpan s_steppedBack = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_newLogLook = TimeSpan.FromMilliseconds(20);
    private ILogLease? _held;
    private long? _steppedBack;

    /// <summary>Whether this replica takes the checkpoints.</summary>
    public bool TakesCheckpoints { get; private set; }

    /// <summary>Called when this replica takes the checkpoints from now on, or no more.</summary>
    public required Action<bool> Changed { get; init; }

    /// <summary>Fails when the newest checkpoint is of a version that this replica does not know.</summary>
    public required Func<ValueTask> RequireNoUpgrade { get; init; }

    /// <summary>Waits for the lease until this replica is the primary, or stops.</summary>
    public async Task WaitAsync()
    {
        try
        {
            ILogLease? right = await log.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: true, append.Came);
            while (!append.IsHeld && _steppedBack is { } since && time.GetElapsedTime(since) < s_steppedBack)
            {
                await right!.DisposeAsync();
                await Task.Delay(s_steppedBack, time, append.Came);
                right = await log.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: true, append.Came);
            }

            if (append.IsHeld)
            {
                await right!.DisposeAsync();
                return;
            }

            _held = right;
            await RequireNoUpgrade();
            // A primary says what it is about to decide before it waits for this lease.
            Lsn end = await RecordReader.EndOfDecisionsAsync(log);
            while (_held == right && position.Durable < end && !append.Came.IsCancellationRequested)
            {
                await append.PauseAsync(s_newLogLook);
            }

            // Else given back meanwhile by a promotion, or lost.
            if (_held == right && !append.Came.IsCancellationRequested)
            {
                TakesCheckpoints = true;
                Changed(true);
            }
        }
        catch (OperationCanceledException)
        {
            // It is the primary now, or stops.
        }
    }

    /// <summary>The primary wants to be the only one that names checkpoints for a moment, and waits for the lease.</summary>
    public async ValueTask StepBackAsync()
    {
        _steppedBack = time.GetTimestamp();
        if (_held is not null)
        {
            await GiveBackAsync(giveUp: true);
            Changed(false);
            loops.Start(WaitAsync);
        }
    }

    /// <summary>
    /// Gives the lease back. Its next holder relies on it that nothing is named any more that was begun under it before; only a process
    /// with the right to append may finish it.
    /// </summary>
    /// <param name="giveUp">Whether checkpoints that are being written are given up.</param>
    public async ValueTask GiveBackAsync(bool giveUp)
    {
        if (_held is { } held)
        {
            (_held, TakesCheckpoints) = (null, false);
            if (giveUp)
            {
                await log.GiveUpCheckpointsAsync();
            }

            await held.DisposeAsync();
        }
    }

    /// <summary>One that was lost is waited for anew; what was begun under it the store refuses.</summary>
    public async ValueTask RenewIfLostAsync()
    {
        if (_held is { Lost.IsCancellationRequested: true })
        {
            await GiveBackAsync(giveUp: true);
            if (!append.IsHeld)
            {
                Changed(false);
                loops.Start(WaitAsync);
            }
        }
    }
}
