using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Poison;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Read;

namespace Ambrosia.Coordinator.Availability;

/// <summary>
/// Keeps a secondary where the log is: applies what is proven durable, and ends what the log contradicts. It does nothing that others
/// could see. docs/operate/replicas.md has the rules.
/// </summary>
/// <param name="instance">The instance.</param>
/// <param name="log">The log that another process writes.</param>
/// <param name="append">The right to append, which ends the following.</param>
/// <param name="from">The checkpoint that this replica began with.</param>
/// <param name="state">What the log says of the instance.</param>
/// <param name="position">How far this replica has come.</param>
internal sealed class Follower(
    InstanceContext instance, WriteAheadLog log, AppendLease append, FollowedFrom from, CoordinatorState state, LogPosition position)
{
    /// <summary>Judges nobody, and repeats what the primary has logged.</summary>
    public required PoisonGuard Guard { get; init; }

    /// <summary>The app, which replays what is followed.</summary>
    public required AppServer App { get; init; }

    /// <summary>Whether this replica takes checkpoints.</summary>
    public required CheckpointScheduler Checkpoints { get; init; }

    /// <summary>How much log the app has not executed.</summary>
    public required BackPressure BackPressure { get; init; }

    /// <summary>Limits that no option sets.</summary>
    public required CoreLimits Limits { get; init; }

    /// <summary>The upgrade that the checkpoint committed and no record has named: the next primary logs it.</summary>
    public VersionChange? UnloggedUpgrade { get; private set; } = from.UnloggedUpgrade;

    /// <summary>The build that the checkpoint names and no record does: the next primary logs it.</summary>
    public BuildStep? UnloggedBuild { get; private set; } = from.UnloggedBuild;

    /// <summary>
    /// For a secondary that begins with an older checkpoint than the newest. If that is the one of an upgrade, the log leads through the
    /// upgrade, and an app can be led there only if it is known before the app is let in. Else this replica would end at it, and again at
    /// each start until there is a newer checkpoint.
    /// </summary>
    public static async ValueTask ReadUpgradesAsync(WriteAheadLog log, Lsn after, UpgradeHistory upgrades)
    {
        await using LogReader reader = log.OpenReader(after.Next, endsOnly: true);
        while (await reader.ReadAsync() == ReadOutcome.Record && await RecordReader.ReadTrailerAsync(reader) is { } trailer)
        {
            trailer.Upgrades.ForEach(upgrades.Apply);
            trailer.Builds.ForEach(upgrades.Apply);
        }
    }

    /// <summary>Applies what is proven durable, until the right to append comes, or the instance stops.</summary>
    /// <param name="reader">Reads the log from the next record on.</param>
    /// <param name="epoch">The epoch that is followed.</param>
    /// <exception cref="Errors.CoordinatorException">The log contradicts what this replica, or its app, has done.</exception>
    public async ValueTask RunAsync(LogReader reader, ulong epoch)
    {
        var pace = new FollowPace(log.LongestPause);
        for (int inOneGo = 1; !append.IsHeld && !instance.Stopping.IsCancellationRequested; inOneGo++)
        {
            switch (await reader.ReadAsync())
            {
                case ReadOutcome.Record:
                    await ApplyAsync(reader, epoch);
                    pace.Moved();
                    if (inOneGo % Limits.RecordsInOneGo == 0)
                    {
                        Limits.Decided(CoreLimit.RecordsInOneGo);
                        // Files complete at once: the app and everything else on this context would wait for the log's end.
                        await Task.Yield();
                    }

                    break;
                case ReadOutcome.Trimmed:
                    throw CoreFailures.FellBehind(instance.Name, reader.NextLsn.Value);
                default:
                    await append.PauseAsync(pace.Next());
                    break;
            }
        }
    }

    /// <summary>For a promotion: applies what is left of the log, which nobody else writes any more.</summary>
    /// <param name="reader">Reads the log from the next record on.</param>
    /// <param name="epoch">The epoch of this process.</param>
    public async ValueTask RunToEndAsync(LogReader reader, ulong epoch)
    {
        while (reader.NextLsn <= log.DurableLsn)
        {
            ReadOutcome outcome = await reader.ReadAsync();
            if (outcome == ReadOutcome.Trimmed)
            {
                // After a checkpoint that the last primary had taken.
                throw CoreFailures.FellBehind(instance.Name, reader.NextLsn.Value);
            }

            if (outcome != ReadOutcome.Record)
            {
                throw RecordReader.Unreadable(reader.NextLsn, outcome);
            }

            await ApplyAsync(reader, epoch);
        }
    }

    private async ValueTask ApplyAsync(LogReader reader, ulong epoch)
    {
        Lsn known = state.Upgrades.Newest;
        RecordTrailer trailer = await LogScan.ApplyAsync(log, from.Checkpoint, reader, state, epoch);
        Checkpoints.FollowedDecisions(reader.Header.Epoch.Value, trailer.Poison);
        Lsn lsn = reader.Header.Lsn;
        int bytes = reader.Body.Length;
        if (trailer.Poison.Count > 0)
        {
            await FollowPoisonAsync(trailer);
        }

        if (trailer.Upgrades.Count > 0)
        {
            await FollowUpgradesAsync(known, trailer.Upgrades);
        }

        UnloggedBuild = trailer.Builds.Exists(mark => mark.At >= UnloggedBuild?.At) ? null : UnloggedBuild;
        // The build of a new version is named beside its upgrade. Any later one at the same record is another build of that version.
        trailer.Builds.FindAll(mark => !trailer.Upgrades.Exists(upgrade => upgrade.At == mark.At))
            .ForEach(mark => App.Session?.Builds?.Followed(mark));
        position.Durable = lsn;
        BackPressure.Logged(lsn.Value, bytes);
        App.Session?.Wake();
        Checkpoints.Followed(lsn, bytes);
    }

    /// <summary>
    /// An app that may have begun what the log now says to skip begins again (exactly-once.md H8). If it has survived that, what it sent
    /// from there on is in the buffers, and has never happened: then everything begins again.
    /// </summary>
    private async ValueTask FollowPoisonAsync(RecordTrailer trailer)
    {
        await Guard.FollowedAsync();
        if (trailer.Poison.Exists(static mark => mark.Step == PoisonStep.QuarantineProposed))
        {
            await Checkpoints.Checkpointer.StepBackAsync();
        }

        AppSession? session = App.Session;
        foreach (QuarantineStep mark in trailer.Poison.Where(static mark => mark.Step == PoisonStep.Quarantined))
        {
            await App.EndSessionAsync(); // All that it had sent has been read.
            if (Guard.EscapeOf(mark.First, session) is not null)
            {
                throw CoreFailures.SurvivedQuarantined(instance.Name, mark.First);
            }
        }
    }

    /// <summary>
    /// What a secondary learns of upgrades from the log. At one that has happened since it began it ends: its app, and the outputs in its
    /// buffers, are of the version before. While one is tried it makes no checkpoints: one of the old version's after the new one's would
    /// be the newest.
    /// </summary>
    private async ValueTask FollowUpgradesAsync(Lsn known, List<VersionChange> marks)
    {
        if (state.Upgrades.Newest > known)
        {
            throw CoreFailures.Upgraded(instance.Name, state.Upgrades.Marks[^1]);
        }

        if (marks.Exists(mark => mark.At == UnloggedUpgrade?.At))
        {
            UnloggedUpgrade = null;
        }

        if (marks.Exists(static mark => mark.At == Lsn.None))
        {
            await Checkpoints.Checkpointer.StepBackAsync();
        }
    }
}
