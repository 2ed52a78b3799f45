using Ambrosia.Coordinator.Availability;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Poison;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Recovery;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Upgrades;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.Coordinator;

/// <summary>
/// The core's part that brings it to where it serves: the log, the state that log and checkpoint are read into, addresses and links.
/// </summary>
public sealed partial class ImmortalCore
{
    private static EndPointName? Loopback(int? port) => port is { } number ? EndPointName.Tcp("127.0.0.1", number) : null;

    private async ValueTask OpenLogAsync(CancellationToken stop)
    {
        LogStoreOptions logOptions = _environment.Limits.Log(LogSizes.Of(_options));
        ILogStorage storage = LogStores.Open(_options.Store, _options.InstanceName, logOptions, _environment.Log);
        _parts.Log = await WriteAheadLog.OpenAsync(storage, logOptions, _environment.Log);
        MakeKeepers(_parts.Log);
        CoreFailures.RequireStart(_options, _parts.Log.Exists, storage.Location);
        await _parts.Leases.TakeNumberAsync(stop);
    }

    /// <summary>What lasts from the opened log to the end, whatever role this process has.</summary>
    private void MakeKeepers(WriteAheadLog log)
    {
        var checkpointer = new CheckpointerLease(log, _append, _position, _instance.Loops, _environment.Time)
        {
            Changed = takes => _roles.Change(takes ? ReplicaRole.Checkpointer : ReplicaRole.Secondary),
            RequireNoUpgrade = RequireNoUpgradeAsync,
        };
        _parts.Checkpoints = new CheckpointScheduler(_options, log, _position, _instance.Loops, _instance.Logger)
        {
            Checkpointer = checkpointer,
            Ask = () => _parts.AppServerIfMade?.Session?.RequestCheckpoint(),
            AskWhenDue = () => _parts.AppServerIfMade?.Session?.CheckpointIsDue(),
        };
        _parts.Handover = new Handover(_instance, _options, log, _append, _roles, _parts.Checkpoints)
        {
            HasCaughtUp = () => !_position.Follows || (_parts.AppServer.Session is not null && _backPressure.Lag <= _options.PageSize),
            TakeCheckpoint = () => _board!.CheckpointAsync(CancellationToken.None),
            DrainAsked = _drainAsked,
        };
        _parts.Leases = new LeaseKeeper(_instance, _options, log, _append, checkpointer, _parts.Handover, _environment.Catalog)
        {
            DescribeProcess = _environment.DescribeProcess,
            HeldBy = process => _board?.Starts($"the instance is held by {process}"),
        };
    }

    /// <summary>
    /// The right to append is ours: the next epoch is durable before anything is done under it (docs/internals/exactly-once.md H4).
    /// </summary>
    private async ValueTask BecomeWriterAsync(SynchronizationContext context)
    {
        Failpoint.Pass("K20");
        WriterStart start = await _parts.Log.BecomeWriterAsync(_append.Held);
        _stopping.Token.ThrowIfCancellationRequested(); // Told to stop meanwhile, it has closed the log.
        CoreLog.EpochOpened(_instance.Logger, _instance.Name, start.Epoch.Value, start.TornBytes);
        _parts.Log.CheckpointLost = () => context.Post(_ => _instance.Loops.Do(CheckpointLost), null);
        _pending.Limit(_options.MaxMessageSize);
        _parts.Appender = _parts.Log.StartAppending(new RecordSink(context, _pending, _instance.Loops.Do, BecameDurable));
        _pending.Full = _parts.Appender.RequestFlush;
        _parts.Identity = Identity();
        StartReplicaDuties(context);
    }

    private async ValueTask RecoverAsync(SynchronizationContext context)
    {
        await MakeStateAsync();
        _position.Durable = _parts.Log.DurableLsn;
        _position.Executed = _parts.Log.DurableLsn;
        _parts.State.BeginBehind(_parts.Log.DurableLsn);
        if (_parts.Log.WasCheckpointed) // Also when none is left: that stops, it is no first start.
        {
            await using CheckpointImage image = await CheckpointImage.OpenAsync(_parts.Log, _parts.Log.DurableLsn);
            _parts.Checkpoints.RequestIfLacking();
            await image.RestoreAsync(_parts.State);
            _position.HasCheckpoint = true;
            _parts.Checkpoints.BeginsWith(image.Lsn);
            long bytes = await LogScan.RunAsync(
                _parts.Log, image.Lsn, _parts.State, _parts.Identity.Epoch, (lsn, size) => _backPressure.Logged(lsn.Value, size));
            _parts.Checkpoints.Recovered(bytes, upgraded: _parts.State.Upgrades.Newest > image.Lsn);
            await CompleteUpgradeAsync(image, logged: _parts.State.Upgrades.CommittedBy(image.Lsn) is not null);
            image.Head.Upgrades.ForEach(_parts.State.Upgrades.Apply);
            if (image.Head.IsBuildUnlogged(image.Lsn, _parts.State.Upgrades))
            {
                await _parts.Decisions.LogAsync(image.Head.Build!);
            }

            image.Head.ApplyBuild(_parts.State.Upgrades);
            await _parts.Guard.RestoreAsync();
            CoreLog.Recovered(_instance.Logger, _instance.Name, image.Lsn.Value, _parts.Log.DurableLsn.Value, _parts.Log.Epoch.Value);
        }

        MakePipeline(context);
        MakeAppServer();
        OpenDeadLetters();
        StartOutputs();
    }

    /// <summary>
    /// The checkpoint commits an upgrade; the record that says so must be there before anything after it leaves, or a recovery from an
    /// older checkpoint would not know.
    /// </summary>
    private async ValueTask CompleteUpgradeAsync(CheckpointImage image, bool logged)
    {
        if (image.Head.Upgrades.Find(mark => mark.At == image.Lsn) is { } mark && !logged)
        {
            await _parts.Decisions.LogAsync(mark);
            CoreLog.Upgraded(_instance.Logger, mark.From, mark.To, mark.At.Value);
        }
    }

    private ValueTask RequireNoUpgradeAsync() => CommittedVersion.RequireKnownAsync(
        _parts.Log, _parts.State.Upgrades, _options.InstanceName, build =>
        {
            _parts.State.Upgrades.Apply(build); // Also for an app that has not compared yet.
            _parts.AppServer.Session?.Builds?.Followed(build);
        });

    private void MakePipeline(SynchronizationContext context)
    {
        _environment.Tracer?.Serves(_parts.Log.InstanceId.ToGuid());
        _parts.Pipeline = new InputPipeline(
            _parts.Appender, new PromptCommit(context, _instance.Loops.Do, _parts.Appender), _backPressure,
                new DeliveryPace(_parts.App.Cache, _environment.Time), _pending) { Tracer = _environment.Tracer };
    }

    /// <summary>Everything that checkpoint and log are read into.</summary>
    private async ValueTask MakeStateAsync()
    {
        (IFileSystem files, string scratch) = await ScratchFolder.PrepareAsync(_options, _environment.Log);
        var memory = new OutputMemory(_options.MaxBuffered);
        _parts.State = new CoordinatorState(
            _options.InstanceName,
            destination => new OutputBuffer(
                destination, memory, new SpillFile(files, scratch, destination, _spill, _environment.Limits), _environment.Limits),
            _environment.Limits)
        {
            InputMoved = static input => input.Current?.OfferTrim(),
        };
        var check = new ReplayCheck(_options.InstanceName, _pending, _environment.Limits, ContentsDiffered);
        var answers = new OutsideAnswers(() => _parts.State.Outside, _environment.Time) { Told = _parts.Outside.Answered };
        var router = new OutboundRouter(_options.InstanceName, _parts.State.Outputs, _spill, check, answers) { Tracer = _environment.Tracer };
        var limits = new AppLimits(_options.MaxMessageSize, _options.MaxTurnBytes)
        {
            TurnEscapes = () => _environment.Limits.Decided(CoreLimit.Turn),
        };
        _parts.Decisions = new DecisionLog(_pending, _parts.State, IsReplica, () => _parts.Appender.RequestFlush());
        CheckpointBarrier? barrier = !IsReplica ? null : new CheckpointBarrier(
            _parts.Log, _parts.Decisions, LeaseKeeper.PatienceOf(_options), _options.UpgradeWait, _environment.Time, _stopping.Token);
        _parts.Guard = new PoisonGuard(
            _parts.Log, _parts.State, _pending, () => _parts.Appender.RequestFlush(), _options, _environment.Time, _counters,
            _instance.Logger)
        {
            Limits = _environment.Limits,
            Barrier = barrier, // Of decisions about messages.
        };
        _parts.App = new AppServices(
            _parts.Log, _parts.State, _position, router, check, limits, _options.InstanceName, _instance.Logger, _parts.Guard)
        {
            Checkpoints = _parts.Checkpoints,
            Decisions = _parts.Decisions,
            Barrier = barrier,
            Counters = _counters,
            FirstCheckpointTaken = FirstCheckpointTakenAsync,
            Done = AppDone,
            BecamePrimary = AppBecamePrimary,
            Tracer = _environment.Tracer,
            Latency = new LatencyProbe(_environment.Time, _options.InstanceName),
            Shapes = Shapes,
            Sizes = _environment.Limits,
            Time = _environment.Time,
            CheckpointOnStop = _options.CheckpointOnStop,
            Cache = new DeliveryCache(_environment.Limits.CachedRecords, _environment.Limits.CachedBytes),
        };
    }

    private PeerSettings Identity() => new(
        _options.Cluster, _options.InstanceName, _parts.Log.InstanceId.ToGuid(), _parts.Log.Epoch.Value,
        _options.MaxMessageSize, _options.Heartbeat, _environment.Time, _instance.Logger) { Allowed = _options.AllowPeers };

    private void MakeAppServer()
    {
        _parts.Cutover = new UpgradeCutover(_parts.App, _environment.Time, _options.InstanceName, _options.UpgradeWait);
        var apps = _parts.AppServer = new AppServer(_parts.App, _options, _environment.Token) { Identity = _parts.Identity };
        apps.Successors = new Successors(apps, _parts.App, _parts.Cutover, _spill);
        _parts.AppServer.AttachedChanged += AppAttachedChanged;
    }

    private void StartOutputs()
    {
        if (_options.DropOutputsAfter > TimeSpan.Zero)
        {
            (IFileSystem files, string folder) = DroppedFolder.Of(_options, _environment.Log);
            _dropper = new OutputDropper(
                _options, _spill, _pending, _parts.Appender.RequestFlush, files, folder, _parts.Identity.Epoch,
                _environment.Time, _counters, _instance.Logger);
        }

        _parts.State.Outputs.Added += OutputAdded;
        foreach (OutputBuffer buffer in _parts.State.Outputs.All.ToList())
        {
            OutputAdded(buffer);
        }
    }

    private async ValueTask ListenAsync(CancellationToken stop)
    {
        if (_position.HasCheckpoint)
        {
            await StartPeersAsync();
        }

        Failpoint.Pass("K21");
        // Before an app can come and leave again.
        _roles.Change(_position.HasCheckpoint ? ReplicaRole.Recovering : ReplicaRole.FirstStart);
        await ListenForAppAsync(stop);
        StartWriterLoops();
        TellListening();
    }

    private async ValueTask ListenForAppAsync(CancellationToken stop)
    {
        await ListenAtAsync(_options.BindingSocket ?? _options.BindingAddress, _parts.AppServer.ServeAsync, stop);
        await ListenAtAsync(Loopback(_options.ReceivePort), _parts.AppServer.ServeLegacyReceiveAsync, stop);
        await ListenAtAsync(Loopback(_options.SendPort), _parts.AppServer.ServeLegacySendAsync, stop);
    }

    private void StartWriterLoops()
    {
        var heartbeats = new Heartbeats(_parts.Identity, () => _peers?.Links.ToList() ?? [], _outputLinks, Beat);
        _instance.Loops.Start(() => heartbeats.RunAsync(_stopping.Token));
        _instance.Loops.Start(() => _parts.Appender.Completion);
        _instance.Loops.Start(_parts.Handover.WatchAsync);
    }

    private void TellListening()
    {
        EndPointName? address = _options.BindingSocket ?? _options.BindingAddress ?? Loopback(_options.ReceivePort);
        CoreLog.WaitingForApp(_instance.Logger, _instance.Name, address?.ToString() ?? "nowhere");
        _listening.TrySetResult();
    }

    private async ValueTask<IListener?> ListenAtAsync(EndPointName? address, Func<IConnection, Task> serve, CancellationToken stop, ITransport? transport = null)
    {
        if (address is null)
        {
            return null;
        }

        IListener listener = await (transport ?? _environment.Transport).ListenAsync(address, serve, stop);
        if (_stopping.IsCancellationRequested)
        {
            await listener.DisposeAsync(); // The stop has ended the listeners that there were.
            throw new OperationCanceledException();
        }

        _listeners.Add(listener);
        _instance.Loops.Start(() => listener.Completion);
        return listener;
    }

    private void OpenToOutside(CoordinatorState state)
    {
        ulong now = (ulong)_environment.Time.GetUtcNow().ToUnixTimeMilliseconds();
        _parts.Outside.Open(new OutsideDoor(
            SynchronizationContext.Current!, state.Inputs.Get(OutsideNames.Input), state.Outside,
            new OutsideAdmission(state.Outside, _environment.Limits.Outside, now), _parts.Pipeline, _parts.Identity.Epoch,
            _parts.Leases.VerifyAsync, _instance.Loops.Start));
    }

    /// <summary>Peers come once the instance exists: what they send must have a checkpoint to follow.</summary>
    private async Task StartPeersAsync()
    {
        InputState self = _parts.State.Inputs.Get(_options.InstanceName);
        self.Restore(_parts.Identity.InstanceId, self.Durable);
        var selfCalls = new SelfCalls(_parts.State.Outputs.Get(_options.InstanceName), self, _parts.Pipeline, _parts.Identity.Epoch);
        _instance.Loops.Start(() => selfCalls.RunAsync(_stopping.Token));
        OpenToOutside(_parts.State);
        _peers = new PeerServer(_parts.Identity, _parts.State.Inputs, _parts.Pipeline, _environment.Catalog, _parts.Leases.VerifyAsync);
        IListener listener = (await ListenAtAsync(_options.PeerAddress, _peers.ServeAsync, _stopping.Token, _environment.Peers))!;
        EndPointName advertised = _options.Advertise is { Scheme: EndPointScheme.Tcp, Port: 0 } host
            ? host.WithPort(listener.EndPoint.Port)
            : _options.Advertise ?? listener.EndPoint;
        _counters.PeerAddress = advertised.ToString();
        var registration = new Registration(
            _environment.Catalog, _parts.Log, _append.Held, advertised.ToString(), _options.ReplicaId, _instance.Logger);
        _claims.Registration = registration;
        if (!await registration.TryAsync())
        {
            _instance.Loops.Start(() => registration.RetryAsync(_options.Heartbeat, _environment.Time, _stopping.Token));
        }
    }
}
