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

/// <summary>The core's part in upgrades of the app's state: it makes up for one that a crash has interrupted after its commit.</summary>
public sealed partial class ImmortalCore
{
    private UpgradeMark? _unloggedUpgrade;

    /// <summary>The checkpoint commits an upgrade; the record that says so must be there before anything behind it leaves, or a recovery from an older checkpoint would not know.</summary>
    private async ValueTask CompleteUpgradeAsync(CheckpointImage image, bool logged)
    {
        if (image.Head.Upgrades.Find(mark => mark.At == image.Lsn) is { } mark && !logged)
        {
            await _parts.Decisions.LogAsync(mark);
            CoreLog.Upgraded(_logger, mark.From, mark.To, mark.At.Value);
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
            await _parts.Checkpoints.Checkpointer.StepBackAsync();
        }
    }

    private ValueTask RequireNoUpgradeAsync() => CommittedVersion.RequireKnownAsync(
        _parts.Log, _parts.State.Upgrades, _options.InstanceName, build =>
        {
            _parts.State.Upgrades.Apply(build); // Also for an app that has not compared yet.
            _parts.AppServer.Session?.Builds?.Followed(build);
        });
}
