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
/// The core's part as one of several replicas. A secondary keeps app and buffers where the log is, and does nothing that others could see,
/// until the lock is its own; docs/operate/replicas.md has the rules.
/// </summary>
public sealed partial class ImmortalCore
{
    private DurableMarks? _marks;

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
        bool standsIn;
        FollowedFrom from;
        await using (CheckpointImage image = await CheckpointImage.OpenAsync(_parts.Log, new Lsn(ulong.MaxValue)))
        {
            await image.RestoreAsync(_parts.State);
            standsIn = image.StandsInForAnother;
            _position.HasCheckpoint = true;
            _parts.Checkpoints.BeginsWith(image.Lsn);
            _position.Durable = image.Lsn;
            image.Head.Upgrades.ForEach(_parts.State.Upgrades.Apply);
            BuildMark? build = image.Head.IsBuildUnlogged(image.Lsn, _parts.State.Upgrades) ? image.Head.Build : null;
            image.Head.ApplyBuild(_parts.State.Upgrades);
            from = new FollowedFrom(image.Lsn, image.Head.Upgrades.Find(mark => mark.At == image.Lsn), build);
            await _parts.Guard.RestoreAsync();
        }

        if (standsIn)
        {
            await Follower.ReadUpgradesAsync(_parts.Log, from.Checkpoint, _parts.State.Upgrades);
        }

        MakeAppServer();
        await ListenForAppAsync(stop);
        _roles.Change(ReplicaRole.Secondary);
        CoreLog.Follows(_instance.Logger, _instance.Name, _position.Durable.Value);
        TellStand(_environment.Time.GetElapsedTime(_started));
        TellListening();
        var follower = new Follower(_instance, _parts.Log, _append, from, _parts.State, _position)
        {
            Guard = _parts.Guard,
            App = _parts.AppServer,
            Checkpoints = _parts.Checkpoints,
            BackPressure = _backPressure,
            Limits = _environment.Limits,
        };
        var beats = new SecondaryBeats(_instance, _options, _parts.Log, _append, _parts.Leases, _environment.Catalog)
        {
            EndProcess = _environment.EndProcess,
            Beat = PublishStatus,
        };
        await beats.NoteAsync();
        _instance.Loops.Start(() => FollowAsync(follower, context));
        _instance.Loops.Start(beats.RunAsync);
        _instance.Loops.Start(_parts.Checkpoints.Checkpointer.WaitAsync);
        if (_options.TakeOver)
        {
            _instance.Loops.Start(_parts.Handover.AskWhenReadyAsync);
        }
    }

    private async Task FollowAsync(Follower follower, SynchronizationContext context)
    {
        await using LogReader reader = _parts.Log.OpenReader(_position.Durable.Next);
        await follower.RunAsync(reader, _parts.Identity.Epoch);
        _stopping.Token.ThrowIfCancellationRequested();
        await PromoteAsync(follower, reader, context);
    }

    /// <summary>A follower has got the right to append, and becomes the primary (docs/internals/exactly-once.md#promote).</summary>
    private async ValueTask PromoteAsync(Follower follower, LogReader reader, SynchronizationContext context)
    {
        _recoveryStarted = _environment.Time.GetTimestamp();
        CoreLog.TakesOver(_instance.Logger, _instance.Name, _position.Durable.Value);
        _roles.Change(ReplicaRole.Recovering);
        await _parts.Checkpoints.Checkpointer.GiveBackAsync(giveUp: false);
        await RequireNoUpgradeAsync();
        await BecomeWriterAsync(context);
        await follower.RunToEndAsync(reader, _parts.Identity.Epoch);
        _parts.AppServer.Identity = _parts.Identity;
        _parts.Guard.Passive = false;
        await _parts.Guard.RestoreAsync();
        MakePipeline(context);
        if (follower.UnloggedUpgrade is { } unlogged)
        {
            await _parts.Decisions.LogAsync(unlogged);
        }

        if (follower.UnloggedBuild is { } build)
        {
            await _parts.Decisions.LogAsync(build);
        }

        _stopping.Token.ThrowIfCancellationRequested(); // It may have been told to stop meanwhile: what starts from here on would be stopped by nobody.
        OpenDeadLetters();
        StartOutputs();
        _position.Follows = false;
        _parts.AppServer.Session?.EndReplayAt(_position.Durable);
        await StartPeersAsync();
        StartWriterLoops();
        _parts.Checkpoints.RequestIfLacking();
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
        // An app that begins there has survived what was before. None when one is adopted before what it begins with is read.
        _parts.GuardIfMade?.Progressed(new MessagePosition(entry.Lsn.Next.Value, 0));
    }

    /// <summary>What a writer does because it has replicas beside it.</summary>
    private void StartReplicaDuties(SynchronizationContext context)
    {
        if (IsReplica)
        {
            _marks = new DurableMarks(_parts.Appender, _environment.Time);
            _instance.Loops.Start(() => _marks.RunAsync(_stopping.Token));
            _parts.Log.CheckpointAdopted = entry => context.Post(_ => _instance.Loops.Do(() => CheckpointAdopted(entry)), null);
            _instance.Loops.Start(_parts.Leases.BeatAsync);
        }
    }
}
