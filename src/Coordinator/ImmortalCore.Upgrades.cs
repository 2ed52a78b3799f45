using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Upgrades;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.Coordinator;

/// <summary>The core's part in upgrades of the app's state: it logs them, and makes up for one that a crash has interrupted behind its commit.</summary>
public sealed partial class ImmortalCore
{
    // Empty records are nothing to the app, and several replicas may see such a word late: long enough for the primary, which waits already, to be the next.
    private static readonly TimeSpan s_steppedBack = TimeSpan.FromSeconds(2);
    private readonly List<TaskCompletionSource> _decisionsToLog = [];
    private ILogLease? _upgradeRoom;
    private UpgradeMark? _unloggedUpgrade;
    private long? _steppedBack;

    Task IAppObserver.LogUpgradeAsync(UpgradeMark mark) => LogUpgradeAsync(mark);

    private Task LogUpgradeAsync(UpgradeMark mark)
    {
        var applied = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _decisionsToLog.Add(applied);
        _pending.Add(mark with { Applied = applied });
        _parts.Appender.RequestFlush();
        return applied.Task;
    }

    async ValueTask<bool?> IAppObserver.BeginBuildAsync() =>
        IsReplica ? await ((IAppObserver)this).BeginUpgradeAsync(new UpgradeMark(Lsn.None, "", "")) : null;

    ValueTask IAppObserver.LogBuildAsync(BuildMark mark) => LogBuildAsync(mark);

    private async ValueTask LogBuildAsync(BuildMark mark)
    {
        if (!IsReplica)
        {
            _parts.State.Upgrades.Apply(mark); // Nobody follows who would have to learn of it.
        }
        else
        {
            var applied = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _decisionsToLog.Add(applied);
            _pending.Add(mark with { Applied = applied });
            _parts.Appender.RequestFlush();
            await applied.Task;
        }
    }

    /// <summary>A record of this process is durable and applied to the state: its waiters go on.</summary>
    private void TellUpgrades(RecordMarks marks)
    {
        foreach (UpgradeMark mark in marks.Upgrades)
        {
            if (mark.At > Lsn.None)
            {
                _parts.AppServerIfMade?.TakeOver.Upgraded(mark);
            }

            Logged(mark.Applied);
        }

        marks.Builds.ForEach(mark => Logged(mark.Applied));
    }

    private void Logged(TaskCompletionSource? applied)
    {
        if (applied is not null)
        {
            _decisionsToLog.Remove(applied);
            applied.TrySetResult();
        }
    }

    /// <summary>The checkpoint commits an upgrade; the record that says so must be there before anything behind it leaves, or a recovery from an older checkpoint would not know.</summary>
    private async ValueTask CompleteUpgradeAsync(CheckpointImage image, bool logged)
    {
        if (image.Head.Upgrades.Find(mark => mark.At == image.Lsn) is { } mark && !logged)
        {
            await LogUpgradeAsync(mark);
            CoreLog.Upgraded(_logger, mark.From, mark.To, mark.At.Value);
        }
    }

    async ValueTask<bool> IAppObserver.BeginUpgradeAsync(UpgradeMark planned)
    {
        if (!IsReplica || _upgradeRoom is not null)
        {
            return true;
        }

        using var limit = CancellationTokenSource.CreateLinkedTokenSource(_stopping.Token);
        await using ITimer timer = _environment.Time.CreateTimer(static source => ((CancellationTokenSource)source!).Cancel(), limit, _options.UpgradeWait, Timeout.InfiniteTimeSpan);
        Task<ILogLease?> waiting = _parts.Log.AcquireSideLockAsync(SideLocks.Checkpointer, wait: true, limit.Token).AsTask();
        await LogUpgradeAsync(planned); // Who makes the checkpoints steps back when it reads this.
        try
        {
            _upgradeRoom = await waiting;
        }
        catch (OperationCanceledException) when (!_stopping.IsCancellationRequested)
        {
            return false;
        }

        await LogUpgradeAsync(planned); // Behind the last checkpoint that it had begun.
        return true;
    }

    async ValueTask IAppObserver.EndUpgradeAsync() => await LeaveUpgradeRoomAsync();

    private async ValueTask LeaveUpgradeRoomAsync()
    {
        if (_upgradeRoom is { } room)
        {
            _upgradeRoom = null;
            await room.DisposeAsync();
        }
    }

    /// <summary>
    /// For a secondary that begins with an older checkpoint than the newest. If that is the one of an upgrade, the log leads through the upgrade, and an app can be led there only if it is known before the app is let
    /// in. Else this replica would end at it, and again at each start until there is a newer checkpoint.
    /// </summary>
    private async ValueTask ReadUpgradesBehindAsync(Lsn from)
    {
        await using LogReader reader = _parts.Log.OpenReader(from.Next, endsOnly: true);
        while (await reader.ReadAsync() == ReadOutcome.Record && await RecordReader.ReadTrailerAsync(reader) is { } trailer)
        {
            trailer.Upgrades.ForEach(_parts.State.Upgrades.Apply);
            trailer.Builds.ForEach(_parts.State.Upgrades.Apply);
        }
    }

    /// <summary>
    /// What a secondary learns of upgrades from the log. At one that has happened since it began it ends: its app, and the outputs in its buffers, are of the version before. While one is
    /// tried it makes no checkpoints: one of the old version's behind the new one's would be the newest.
    /// </summary>
    private async ValueTask FollowedUpgradesAsync(Lsn known, List<UpgradeMark> marks)
    {
        if (_parts.State.Upgrades.Newest > known)
        {
            throw CoreFailures.Upgraded(_options.InstanceName, _parts.State.Upgrades.Marks[^1]);
        }

        if (marks.Exists(mark => mark.At == _unloggedUpgrade?.At))
        {
            _unloggedUpgrade = null;
        }

        if (marks.Exists(static mark => mark.At == Lsn.None))
        {
            await StepBackAsync();
        }
    }

    /// <summary>
    /// Whoever commits an upgrade has the right to append and the lock of the checkpointer. So who gets one of them finds here what a primary committed that died before its
    /// record of it could be read.
    /// </summary>
    private async ValueTask RequireNoUpgradeAsync()
    {
        if (await _parts.Log.OpenNewestCheckpointAsync() is { } reader)
        {
            await using CheckpointImage image = await OpenReadableAsync(reader);
            if (image.Head.Upgrades.Find(mark => mark.At > _parts.State.Upgrades.Newest) is { } unknown)
            {
                throw CoreFailures.Upgraded(_options.InstanceName, unknown);
            }

            if (image.Head.Build is { } build)
            {
                _parts.State.Upgrades.Apply(build); // Also for an app that has not compared yet.
                _parts.AppServer.Session?.Builds?.Followed(build);
            }
        }
    }

    // To read all of it would take as long as the state is large; only if it is damaged the next valid one is looked for. An upgrade that only the damaged one knew has not happened: nobody has acted behind it.
    private async ValueTask<CheckpointImage> OpenReadableAsync(CheckpointReader newest)
    {
        try
        {
            return await CheckpointImage.OpenAsync(newest);
        }
        catch (CheckpointGoneException)
        {
            await newest.DisposeAsync();
            return await CheckpointImage.OpenAsync(_parts.Log, new Lsn(ulong.MaxValue));
        }
    }

    private void AbandonUpgrades()
    {
        foreach (TaskCompletionSource waiting in _decisionsToLog.ToList())
        {
            waiting.TrySetCanceled();
        }
    }
}
