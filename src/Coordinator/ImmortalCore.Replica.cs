using Ambrosia.Coordinator.Availability;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Poison;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Recovery;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator;

/// <summary>
/// The core's part as one of several replicas. A secondary keeps app and buffers where the log is, and does nothing that others could see, until the
/// lock is its own; docs/operate/replicas.md has the rules.
/// </summary>
public sealed partial class ImmortalCore
{
    private DurableMarks? _marks;
    private bool _followedFromStandIn;
    private Lsn _followedFrom;
    private BuildMark? _unloggedBuild;

    private bool IsReplica => _options.ReplicaId is not null;

    private async ValueTask StartFollowingAsync(SynchronizationContext context, CancellationToken stop)
    {
        await _parts.Log.RefreshAsync();
        _parts.Identity = Identity();
        await MakeStateAsync();
        _position.Follows = true;
        _parts.Checkpoints.Paced(
            _options.CheckpointRate == 0 ? null : new CheckpointPace(_options.CheckpointRate, _environment.Time, _append.RestAsync));
        _parts.Guard.Passive = true;
        await using (CheckpointImage image = await CheckpointImage.OpenAsync(_parts.Log, new Lsn(ulong.MaxValue)))
        {
            await image.RestoreAsync(_parts.State);
            _followedFromStandIn = image.StandsInForAnother;
            _followedFrom = image.Lsn;
            _position.HasCheckpoint = true;
            _parts.Checkpoints.BeginsWith(image.Lsn);
            _position.Durable = image.Lsn;
            image.Head.Upgrades.ForEach(_parts.State.Upgrades.Apply);
            _unloggedBuild = image.Head.IsBuildUnlogged(image.Lsn, _parts.State.Upgrades) ? image.Head.Build : null;
            image.Head.ApplyBuild(_parts.State.Upgrades);
            _unloggedUpgrade = image.Head.Upgrades.Find(mark => mark.At == image.Lsn); // Unless a record says so.
            await _parts.Guard.RestoreAsync();
        }

        if (_followedFromStandIn)
        {
            await ReadUpgradesBehindAsync(_followedFrom);
        }

        MakeAppServer();
        await ListenForAppAsync(stop);
        _roles.Change(ReplicaRole.Secondary);
        CoreLog.Follows(_logger, _options.InstanceName, _position.Durable.Value);
        TellStand(_environment.Time.GetElapsedTime(_started));
        TellListening();
        bool noted = await NoteFollowsAsync();
        _loops.Start(() => FollowAsync(context));
        _loops.Start(() => BeatWhileFollowingAsync(noted));
        _loops.Start(_parts.Checkpoints.Checkpointer.WaitAsync);
        if (_options.TakeOver)
        {
            _loops.Start(_parts.Handover.AskWhenReadyAsync);
        }
    }

    /// <summary>Applies what is proven durable, until the right to append comes; then takes the primary's place.</summary>
    private async Task FollowAsync(SynchronizationContext context)
    {
        await using LogReader reader = _parts.Log.OpenReader(_position.Durable.Next);
        var pace = new FollowPace(_parts.Log.LongestPause);
        for (int inOneGo = 1; !_append.IsHeld && !_stopping.IsCancellationRequested; inOneGo++)
        {
            switch (await reader.ReadAsync())
            {
                case ReadOutcome.Record:
                    await FollowedAsync(reader);
                    pace.Moved();
                    if (inOneGo % _environment.Limits.RecordsInOneGo == 0)
                    {
                        _environment.Limits.Decided(CoreLimit.RecordsInOneGo);
                        await Task.Yield(); // Files complete at once: the app and everybody else on this context would wait for the log's end.
                    }

                    break;
                case ReadOutcome.Trimmed:
                    throw CoreFailures.FellBehind(_options.InstanceName, reader.NextLsn.Value);
                default:
                    await _append.PauseAsync(pace.Next());
                    break;
            }
        }

        _stopping.Token.ThrowIfCancellationRequested();
        await TakeOverAsync(context, reader);
    }

    /// <summary>docs/internals/exactly-once.md#promote.</summary>
    private async ValueTask TakeOverAsync(SynchronizationContext context, LogReader reader)
    {
        _recoveryStarted = _environment.Time.GetTimestamp();
        CoreLog.TakesOver(_logger, _options.InstanceName, _position.Durable.Value);
        _roles.Change(ReplicaRole.Recovering);
        await _parts.Checkpoints.Checkpointer.GiveBackAsync(giveUp: false);
        await RequireNoUpgradeAsync();
        await BecomeWriterAsync(context);
        while (reader.NextLsn <= _parts.Log.DurableLsn)
        {
            ReadOutcome outcome = await reader.ReadAsync();
            if (outcome == ReadOutcome.Trimmed)
            {
                throw CoreFailures.FellBehind(_options.InstanceName, reader.NextLsn.Value); // Behind a checkpoint that the last primary had taken.
            }

            if (outcome != ReadOutcome.Record)
            {
                throw RecordReader.Unreadable(reader.NextLsn, outcome);
            }

            await FollowedAsync(reader);
        }

        _parts.AppServer.Identity = _parts.Identity;
        _parts.Guard.Passive = false;
        await _parts.Guard.RestoreAsync();
        MakePipeline(context);
        if (_unloggedUpgrade is { } unlogged)
        {
            await _parts.Decisions.LogAsync(unlogged);
        }

        if (_unloggedBuild is { } build)
        {
            await _parts.Decisions.LogAsync(build);
        }

        _stopping.Token.ThrowIfCancellationRequested(); // It may have been told to stop meanwhile: what starts from here on would be stopped by nobody.
        OpenDesk();
        StartOutputs();
        _position.Follows = false;
        _parts.AppServer.Session?.EndReplayAt(_position.Durable);
        await StartPeersAsync();
        StartWriterLoops();
        _parts.Checkpoints.RequestIfLacking();
    }

    private async ValueTask FollowedAsync(LogReader reader)
    {
        Lsn known = _parts.State.Upgrades.Newest;
        RecordTrailer trailer = await LogScan.ApplyAsync(
            _parts.Log, _followedFrom, reader, _parts.State, _parts.Identity.Epoch);
        _parts.Checkpoints.FollowedDecisions(reader.Header.Epoch.Value, trailer.Poison);
        Lsn lsn = reader.Header.Lsn;
        int bytes = reader.Body.Length;
        if (trailer.Poison.Count > 0)
        {
            await FollowedPoisonAsync(trailer);
        }

        if (trailer.Upgrades.Count > 0)
        {
            await FollowedUpgradesAsync(known, trailer.Upgrades);
        }

        _unloggedBuild = trailer.Builds.Exists(mark => mark.At >= _unloggedBuild?.At) ? null : _unloggedBuild;
        // The build of a new version is named beside its upgrade. Any later one at the same record is another build of that version.
        trailer.Builds.FindAll(mark => !trailer.Upgrades.Exists(upgrade => upgrade.At == mark.At))
            .ForEach(mark => _parts.AppServer.Session?.Builds?.Followed(mark));
        _position.Durable = lsn;
        _backPressure.Logged(lsn.Value, bytes);
        _parts.AppServer.Session?.Wake();
        _parts.Checkpoints.Followed(lsn, bytes);
    }

    /// <summary>
    /// An app that may have begun what the log now says to skip begins again (exactly-once.md H8). If it has survived that, what it
    /// sent from there on is in the buffers, and has never happened: then
    /// everything begins again.
    /// </summary>
    private async ValueTask FollowedPoisonAsync(RecordTrailer trailer)
    {
        await _parts.Guard.FollowedAsync();
        if (trailer.Poison.Exists(static mark => mark.Step == PoisonStep.Weighed))
        {
            await _parts.Checkpoints.Checkpointer.StepBackAsync();
        }

        AppSession? session = _parts.AppServer.Session;
        foreach (PoisonMark mark in trailer.Poison.Where(static mark => mark.Step == PoisonStep.Quarantined))
        {
            await _parts.AppServer.EndSessionAsync(); // All that it had sent has been read.
            if (_parts.Guard.EscapeOf(mark.First, session) is not null)
            {
                throw CoreFailures.SurvivedQuarantined(_options.InstanceName, mark.First);
            }
        }
    }

    private async Task BeatWhileFollowingAsync(bool noted)
    {
        var watch = new PrimaryWatch(_parts.Log, _options.TakeoverAfter, _options.Heartbeat, _environment.Time);
        string? beyondReach = null;
        while (!_append.IsHeld)
        {
            await _append.PauseAsync(_options.Heartbeat);
            _stopping.Token.ThrowIfCancellationRequested();
            Paint();
            await _parts.Leases.RequireNamedAsync();
            noted = noted || _append.IsHeld || await NoteFollowsAsync();
            if (!_append.IsHeld && await watch.LookAsync() is { } stopped && stopped != beyondReach)
            {
                beyondReach = EndPrimary(stopped) ? null : stopped;
            }
        }
    }

    private ValueTask<bool> NoteFollowsAsync() =>
        Registration.NoteSecondaryAsync(_environment.Catalog, _options.InstanceName, _options.ReplicaId!.Value, lives: true, _logger);

    /// <summary>A process that was stopped keeps its lock, and would go on under the old epoch if it were woken: it must not.</summary>
    private bool EndPrimary(string holder)
    {
        bool ended = _environment.EndProcess(holder);
        if (ended)
        {
            CoreLog.PrimaryEnded(_logger, holder, _options.TakeoverAfter.TotalSeconds);
        }
        else
        {
            CoreLog.PrimaryBeyondReach(_logger, holder, _options.TakeoverAfter.TotalSeconds);
        }

        return ended;
    }

    // For the primary: a checkpoint that retention counted on is damaged or gone.
    private void CheckpointLost()
    {
        if (!_stopping.IsCancellationRequested)
        {
            _parts.Checkpoints.RequestIfLacking();
        }
    }

    private void CheckpointAdopted(ManifestEntry entry)
    {
        _parts.Checkpoints.Adopted(entry);
        // Whoever begins there has survived what was before. None when one is adopted before what it begins with is read.
        _parts.GuardIfMade?.Progressed(new MessagePosition(entry.Lsn.Next.Value, 0));
    }

    /// <summary>What a writer does because it has replicas beside it.</summary>
    private void StartReplicaDuties(SynchronizationContext context)
    {
        if (IsReplica)
        {
            _marks = new DurableMarks(_parts.Appender, _environment.Time);
            _loops.Start(() => _marks.RunAsync(_stopping.Token));
            _parts.Log.CheckpointAdopted = entry => context.Post(_ => CheckpointAdopted(entry), null);
            _loops.Start(_parts.Leases.BeatAsync);
        }
    }
}
