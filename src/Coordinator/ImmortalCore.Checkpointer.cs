using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.Coordinator;

/// <summary>The core's part that shares out among replicas who makes the checkpoints, and when nobody does; replicas.md and quarantine.md have the rules.</summary>
public sealed partial class ImmortalCore
{
    private const int MostAwaited = 3;
    private ILogLease? _checkpointer;
    private int _checkpointsAwaited;
    private readonly OpenDecisions _decisions = new();
    private bool _makesCheckpoints;

    /// <summary>One secondary makes the checkpoints, as long as it lives and follows: the primary's app is not asked then.</summary>
    private async Task WaitToMakeCheckpointsAsync()
    {
        try
        {
            ILogLease? right = await _parts.Log.AcquireSideLockAsync(SideLocks.Checkpointer, wait: true, _append.Came);
            while (!_append.IsHeld && _steppedBack is { } since && _environment.Time.GetElapsedTime(since) < s_steppedBack)
            {
                await right!.DisposeAsync();
                await Task.Delay(s_steppedBack, _environment.Time, _append.Came);
                right = await _parts.Log.AcquireSideLockAsync(SideLocks.Checkpointer, wait: true, _append.Came);
            }

            if (_append.IsHeld)
            {
                await right!.DisposeAsync();
                return;
            }

            _checkpointer = right;
            await RequireNoUpgradeAsync();
            // A primary says what it is about to decide before it waits for this lock.
            Lsn end = await RecordReader.EndOfDecisionsAsync(_parts.Log);
            while (_checkpointer == right && _position.Durable < end && !_append.Came.IsCancellationRequested)
            {
                await _append.PauseAsync(s_newLogLook);
            }

            // Else given back meanwhile by the one that takes the primary's place, or lost.
            if (_checkpointer == right && !_append.Came.IsCancellationRequested)
            {
                _makesCheckpoints = true;
                _roles.Change(ReplicaRole.Checkpointer);
            }
        }
        catch (OperationCanceledException)
        {
            // It is the primary now, or stops.
        }
    }

    /// <summary>Who follows and is not the one that makes the checkpoints makes none, whoever asks for it; who is makes none that a decision may contradict.</summary>
    private string? HindranceOf(Lsn checkpoint) =>
        !_position.Follows ? null
        : !_makesCheckpoints ? "another replica makes the checkpoints, or the primary keeps back who does"
        : _decisions.Bar(checkpoint) ? "whether a message that it holds is quarantined is being decided"
        : null;

    string? IAppObserver.CheckpointHindrance(Lsn lsn) => HindranceOf(lsn);

    /// <summary>
    /// A checkpointer leaves one unless something hinders it. A primary leaves its own: to wait for another replica's would take longer, and
    /// that one may be dead, stand still, or run another build, which makes none. Its successor by hand-over has executed everything.
    /// </summary>
    async ValueTask<bool> IAppObserver.LeavesCheckpointAsync(Func<Lsn> executed) =>
        _position.Follows ? HindranceOf(_position.Durable) is null
        : !IsReplica || (!_handsOver && !await IsSavedByAnotherAsync(executed));

    private async ValueTask<bool> IsSavedByAnotherAsync(Func<Lsn> executed)
    {
        try
        {
            IReadOnlyList<Lsn> named = await _parts.Log.ListCheckpointsAsync(); // What has its name was read back.
            Lsn now = executed(); // More may have been delivered meanwhile.
            return named.Any(lsn => lsn >= now);
        }
        catch (Exception error) when (error is FileFailedException or LogStoreException)
        {
            return false; // One more does no harm; a store that really fails says so when that is written.
        }
    }

    /// <summary>The primary wants to be the only one who names checkpoints for a moment, and waits for the lock.</summary>
    private async ValueTask StepBackAsync()
    {
        _steppedBack = _environment.Time.GetTimestamp();
        if (_checkpointer is not null)
        {
            await StopMakingCheckpointsAsync(giveUp: true);
            _roles.Change(ReplicaRole.Secondary);
            _loops.Start(WaitToMakeCheckpointsAsync);
        }
    }

    /// <summary>Gives the lock back. Who gets it next relies on it that nothing is named any more that was begun under it before; only who has the right to append may finish it.</summary>
    private async ValueTask StopMakingCheckpointsAsync(bool giveUp)
    {
        if (_checkpointer is { } held)
        {
            (_checkpointer, _makesCheckpoints) = (null, false);
            if (giveUp)
            {
                await _parts.Log.GiveUpCheckpointsAsync();
            }

            await held.DisposeAsync();
        }
    }

    /// <summary>For the primary: a checkpoint that retention counted on is damaged or gone. Another one is due now.</summary>
    private void CheckpointLost()
    {
        if (!_stopping.IsCancellationRequested && _parts.Log.LacksCheckpoint)
        {
            RequestCheckpoint(); // Whichever replica makes them knows nothing of it, and would make the next one when it is due.
        }
    }

    /// <summary>For the primary: as much log as between two checkpoints was written. Whoever makes them does so by itself, unless none comes for long.</summary>
    private async Task CheckpointIsDueAsync()
    {
        await using ILogLease? free = await _parts.Log.AcquireSideLockAsync(SideLocks.Checkpointer, wait: false, CancellationToken.None);
        if (free is not null || ++_checkpointsAwaited > MostAwaited)
        {
            _checkpointsAwaited = 0;
            RequestCheckpoint();
        }
    }
}
