using Ambrosia.Coordinator.Availability;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Poison;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Upgrades;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Recovery;

/// <summary>From a log to an instance that serves or follows: the log is opened, the state is read, everything on it is made.</summary>
/// <param name="parts">What the core is made of.</param>
/// <param name="serving">What serves then.</param>
/// <param name="publisher">What is shown of it.</param>
internal sealed class RecoverySequence(CoreParts parts, ServingInstance serving, StatusPublisher publisher)
{
    private readonly InstanceSettings _options = parts.Options;
    private readonly CoreEnvironment _environment = parts.Environment;
    private readonly InstanceContext _instance = parts.Instance;
    private LeaseKeeper? _leases;
    private Handover? _handover;

    /// <summary>Acquires and keeps the leases of this process; null before the log is open.</summary>
    public LeaseKeeper? LeasesIfMade => _leases;

    /// <summary>Acquires and keeps the leases of this process.</summary>
    public LeaseKeeper Leases => _leases!;

    /// <summary>Opens the log, and takes the number of a replica.</summary>
    public async ValueTask OpenLogAsync(CancellationToken stop)
    {
        LogStoreOptions logOptions = _environment.Limits.Log(LogSizes.Of(_options));
        ILogStorage storage = LogStores.Open(_options.Store, _options.InstanceName, logOptions, _environment.Log);
        parts.Log = await WriteAheadLog.OpenAsync(storage, logOptions, _environment.Log);
        MakeKeepers(parts.Log);
        CoreFailures.RequireStart(_options, parts.Log.Exists, storage.Location);
        await Leases.TakeNumberAsync(stop);
    }

    /// <summary>Reads checkpoint and log, as their writer.</summary>
    public async ValueTask RecoverAsync(SynchronizationContext context)
    {
        await MakeStateAsync();
        parts.Position.Durable = parts.Log.DurableLsn;
        parts.Position.Executed = parts.Log.DurableLsn;
        parts.State.BeginBehind(parts.Log.DurableLsn);
        if (parts.Log.WasCheckpointed) // Also when none is left: that stops, it is no first start.
        {
            await using CheckpointImage image = await CheckpointImage.OpenAsync(parts.Log, parts.Log.DurableLsn);
            parts.Checkpoints.RequestIfLacking();
            await image.RestoreAsync(parts.State);
            parts.Position.HasCheckpoint = true;
            parts.Checkpoints.BeginsWith(image.Lsn, image.AppSize);
            long bytes = await LogScan.RunAsync(
                parts.Log, image.Lsn, parts.State, parts.Identity.Epoch, (lsn, size) => parts.BackPressure.Logged(lsn.Value, size));
            parts.Checkpoints.Recovered(bytes, upgraded: parts.State.Upgrades.Newest > image.Lsn);
            await CompleteUpgradeAsync(image, logged: parts.State.Upgrades.CommittedBy(image.Lsn) is not null);
            image.Head.Upgrades.ForEach(parts.State.Upgrades.Apply);
            if (image.Head.IsBuildUnlogged(image.Lsn, parts.State.Upgrades))
            {
                await parts.Decisions.LogAsync(image.Head.Build!);
            }

            image.Head.ApplyBuild(parts.State.Upgrades);
            await parts.Guard.RestoreAsync();
            CoreLog.Recovered(_instance.Logger, _instance.Name, image.Lsn.Value, parts.Log.DurableLsn.Value, parts.Log.Epoch.Value);
        }

        serving.MakePipeline(context);
        MakeAppServer();
        publisher.LookAfterApp();
        serving.StartOutputs();
    }

    /// <summary>Opens the addresses of a writer.</summary>
    public async ValueTask ListenAsync(CancellationToken stop)
    {
        if (parts.Position.HasCheckpoint)
        {
            await serving.StartPeersAsync();
        }

        Failpoint.Pass("K21");
        // Before an app can come and leave again.
        parts.Roles.Change(parts.Position.HasCheckpoint ? ReplicaRole.Recovering : ReplicaRole.FirstStart);
        await serving.ListenForAppAsync(stop);
        serving.StartWriterLoops();
        _instance.Loops.Start(_handover!.WatchAsync);
        serving.TellListening();
    }

    /// <summary>Another process has the right to append: reads the newest checkpoint, and follows from there.</summary>
    public async ValueTask FollowAsync(SynchronizationContext context, CancellationToken stop)
    {
        FollowedFrom from = await ReadToFollowAsync();
        MakeAppServer();
        await new Promotion(parts, serving, publisher, Leases, _handover!).StartFollowingAsync(from, context, stop);
    }

    private async ValueTask<FollowedFrom> ReadToFollowAsync()
    {
        await parts.Log.RefreshAsync();
        parts.Identity = parts.ReadIdentity();
        await MakeStateAsync();
        parts.Position.Follows = true;
        parts.Checkpoints.Paced(
            _options.CheckpointRate == 0 ? null : new CheckpointPace(_options.CheckpointRate, _environment.Time, parts.Append.RestAsync));
        parts.Guard.Passive = true;
        bool standsIn;
        FollowedFrom from;
        await using (CheckpointImage image = await CheckpointImage.OpenAsync(parts.Log, new Lsn(ulong.MaxValue)))
        {
            await image.RestoreAsync(parts.State);
            standsIn = image.StandsInForAnother;
            parts.Position.HasCheckpoint = true;
            parts.Checkpoints.BeginsWith(image.Lsn, image.AppSize);
            parts.Position.Durable = image.Lsn;
            image.Head.Upgrades.ForEach(parts.State.Upgrades.Apply);
            BuildStep? build = image.Head.IsBuildUnlogged(image.Lsn, parts.State.Upgrades) ? image.Head.Build : null;
            image.Head.ApplyBuild(parts.State.Upgrades);
            from = new FollowedFrom(image.Lsn, image.Head.Upgrades.Find(mark => mark.At == image.Lsn), build);
            await parts.Guard.RestoreAsync();
        }

        if (standsIn)
        {
            await Follower.ReadUpgradesAsync(parts.Log, from.Checkpoint, parts.State.Upgrades);
        }

        return from;
    }

    /// <summary>What lasts from the opened log to the end, whatever role this process has.</summary>
    private void MakeKeepers(WriteAheadLog log)
    {
        var checkpointer = new CheckpointerLease(log, parts.Append, parts.Position, _instance.Loops, _environment.Time)
        {
            Changed = takes => parts.Roles.Change(takes ? ReplicaRole.Checkpointer : ReplicaRole.Secondary),
            RequireNoUpgrade = () => ForeignUpgrades.RequireNoneAsync(parts),
        };
        parts.Checkpoints = new CheckpointScheduler(_options, log, parts.Position, _instance.Loops, _instance.Logger)
        {
            Checkpointer = checkpointer,
            Ask = () => parts.AppServerIfMade?.Session?.RequestCheckpoint(),
            AskWhenDue = () => parts.AppServerIfMade?.Session?.CheckpointIsDue(),
        };
        _handover = new Handover(_instance, _options, log, parts.Append, parts.Roles, parts.Checkpoints)
        {
            HasCaughtUp = () =>
                !parts.Position.Follows || (parts.AppServer.Session is not null && parts.BackPressure.Lag <= _options.PageSize),
            TakeCheckpoint = () => publisher.Board!.CheckpointAsync(CancellationToken.None),
            DrainAsked = parts.DrainAsked,
        };
        _leases = new LeaseKeeper(_instance, _options, log, parts.Append, checkpointer, _handover, _environment.Catalog)
        {
            DescribeProcess = _environment.DescribeProcess,
            HeldBy = process => publisher.Board?.Starts($"the instance is held by {process}"),
        };
    }

    /// <summary>Everything that checkpoint and log are read into.</summary>
    private async ValueTask MakeStateAsync()
    {
        (IFileSystem files, string scratch) = await ScratchFolder.PrepareAsync(_options, _environment.Log);
        var memory = new OutputMemory(_options.MaxBuffered);
        parts.State = new CoordinatorState(
            _options.InstanceName,
            destination => new OutputBuffer(
                destination, memory, new SpillFile(files, scratch, destination, parts.Spill, _environment.Limits), _environment.Limits),
            _environment.Limits)
        {
            InputMoved = static input => input.Current?.OfferTrim(),
        };
        parts.Decisions = new DecisionLog(parts.Pending, parts.State, parts.IsReplica, () => parts.Appender.RequestFlush());
        CheckpointBarrier? barrier = !parts.IsReplica ? null : new CheckpointBarrier(
            parts.Log, parts.Decisions, LeaseKeeper.PatienceOf(_options), _options.UpgradeWait, _environment.Time, _instance.Logger,
            _instance.Stopping);
        parts.Guard = new PoisonGuard(
            parts.Log, parts.State, parts.Pending, () => parts.Appender.RequestFlush(), _options, _environment.Time, parts.Counters,
            _instance.Logger)
        {
            Limits = _environment.Limits,
            Barrier = barrier, // Of decisions about messages.
        };
        MakeAppServices(barrier);
    }

    private void MakeAppServices(CheckpointBarrier? barrier)
    {
        var check = new ReplayCheck(_options.InstanceName, parts.Pending, _environment.Limits, ContentsDiffered);
        var answers = new OutsideAnswers(() => parts.State.Outside, _environment.Time) { Told = parts.Outside.Answered };
        var router = new OutboundRouter(_options.InstanceName, parts.State.Outputs, parts.Spill, check, answers)
        {
            Tracer = _environment.Tracer,
        };
        var limits = new AppLimits(_options.MaxMessageSize, _options.MaxTurnBytes)
        {
            TurnEscapes = () => _environment.Limits.Decided(CoreLimit.Turn),
        };
        parts.App = new AppServices(
            parts.Log, parts.State, parts.Position, router, check, limits, _options.InstanceName, _instance.Logger, parts.Guard)
        {
            Checkpoints = parts.Checkpoints,
            Decisions = parts.Decisions,
            Barrier = barrier,
            Counters = parts.Counters,
            FirstCheckpointTaken = serving.FirstCheckpointTakenAsync,
            Done = serving.AppExecuted,
            BecamePrimary = serving.AppBecamePrimary,
            Tracer = _environment.Tracer,
            Latency = new LatencyProbe(_environment.Time, _options.InstanceName),
            Shapes = parts.Shapes,
            Sizes = _environment.Limits,
            Time = _environment.Time,
            CheckpointOnStop = _options.CheckpointOnStop,
            Cache = new DeliveryCache(_environment.Limits.CachedRecords, _environment.Limits.CachedBytes),
        };
    }

    private void MakeAppServer()
    {
        parts.Cutover = new UpgradeCutover(parts.App, _environment.Time, _options.InstanceName, _options.UpgradeWait);
        var apps = parts.AppServer = new AppServer(parts.App, _options, _environment.Token) { Identity = parts.Identity };
        apps.Successors = new Successors(apps, parts.App, parts.Cutover, parts.Spill);
        apps.AttachedChanged += serving.AppAttachedChanged;
    }

    /// <summary>
    /// The checkpoint commits an upgrade; the record that says so must be there before anything after it leaves, or a recovery from an
    /// older checkpoint would not know.
    /// </summary>
    private async ValueTask CompleteUpgradeAsync(CheckpointImage image, bool logged)
    {
        if (image.Head.Upgrades.Find(mark => mark.At == image.Lsn) is { } mark && !logged)
        {
            await parts.Decisions.LogAsync(mark);
            CoreLog.Upgraded(_instance.Logger, mark.From, mark.To, mark.At.Value);
        }
    }

    /// <summary>
    /// A record led to other contents than the first time. The first logged version wins; whether that is harmless only a person can tell.
    /// </summary>
    private void ContentsDiffered(ulong lsn)
    {
        long count = ++parts.Counters.ContentsDiffered;
        if (_options.OnContentDivergence == ContentDivergencePolicy.Stop)
        {
            throw ReplayCheck.OtherContents(_options.InstanceName, lsn);
        }

        if (count is 1 or 10 or 100 || count % 1000 == 0)
        {
            CoreLog.ContentsDiffered(_instance.Logger, _instance.Name, lsn, count);
        }
    }
}
