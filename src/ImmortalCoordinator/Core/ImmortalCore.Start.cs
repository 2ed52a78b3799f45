using Ambrosia.ImmortalCoordinator.Application;
using Ambrosia.ImmortalCoordinator.Failpoints;
using Ambrosia.ImmortalCoordinator.Ingest;
using Ambrosia.ImmortalCoordinator.Peers;
using Ambrosia.ImmortalCoordinator.Poison;
using Ambrosia.ImmortalCoordinator.Recovery;
using Ambrosia.ImmortalCoordinator.State;
using Ambrosia.ImmortalCoordinator.Transport;
using Ambrosia.ImmortalCoordinator.Upgrading;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.ImmortalCoordinator.Core;

/// <summary>The core's part that brings it to where it serves: the log, the state that log and checkpoint are read into, addresses and links.</summary>
public sealed partial class ImmortalCore
{
    private static EndPointName? Loopback(int? port) => port is { } number ? EndPointName.Tcp("127.0.0.1", number) : null;

    private async ValueTask OpenLogAsync(CancellationToken stop)
    {
        LogStoreOptions logOptions = _environment.Limits.Log(LogSizes.Of(_options));
        ILogStorage storage = LogStores.Open(_options.Store, _options.InstanceName, logOptions, _environment.Log);
        _log = await WriteAheadLog.OpenAsync(storage, logOptions, _environment.Log);
        CoreFailures.RequireStart(_options, _log.Exists, storage.Location);
        await TakeSeatAsync(stop);
    }

    /// <summary>
    /// The right to append is ours: the next epoch is durable before anything is done under it (docs/exactly-once.md H4).
    /// </summary>
    private async ValueTask BecomeWriterAsync(SynchronizationContext context)
    {
        Failpoint.Pass("K20");
        WriterStart start = await _log.BecomeWriterAsync(_lease!);
        _stopping.Token.ThrowIfCancellationRequested(); // Told to stop meanwhile, it has closed the log.
        CoreLog.EpochOpened(_logger, _options.InstanceName, start.Epoch.Value, start.TornBytes);
        _log.CheckpointLost = () => context.Post(_ => CheckpointLost(), null);
        _pending.Limit(_options.MaxMessageSize);
        _appender = _log.StartAppending(new RecordSink(context, _pending, BecameDurable));
        _pending.Full = _appender.RequestFlush;
        _identity = Identity();
        StartReplicaDuties(context);
    }

    private async ValueTask RecoverAsync(SynchronizationContext context)
    {
        await MakeStateAsync();
        _app.Durable = _log.DurableLsn;
        _app.Executed = _log.DurableLsn;
        if (_log.WasCheckpointed) // Also when none is left: that stops, it is no first start.
        {
            await using CheckpointImage image = await CheckpointImage.OpenAsync(_log, _log.DurableLsn);
            _checkpointAsked = _log.LacksCheckpoint;
            await _app.RestoreAsync(image);
            _app.HasCheckpoint = true;
            // Counted on, else an instance that crashes often would never be asked for a checkpoint and its log would grow without end.
            _counters.BytesSinceCheckpoint += await LogScan.RunAsync(
                _log, image.Lsn, _inputs, _outputs, image.Head.Poison, _app.Upgrades, _identity.Epoch, (lsn, bytes) => _backPressure.Logged(lsn.Value, bytes));
            // The checkpoint of an upgrade was lost: another spares replicas the way through the upgrade.
            _checkpointAsked |= IsReplica && _app.Upgrades.Newest > image.Lsn;
            await CompleteUpgradeAsync(image, logged: _app.Upgrades.CommittedBy(image.Lsn) is not null);
            image.Head.Upgrades.ForEach(_app.Upgrades.Apply);
            await _guard.RestoreAsync(image.Head.Poison);
            CoreLog.Recovered(_logger, _options.InstanceName, image.Lsn.Value, _log.DurableLsn.Value, _log.Epoch.Value);
        }

        MakePipeline(context);
        MakeAppServer();
        OpenDesk();
        StartOutputs();
    }

    private void MakePipeline(SynchronizationContext context) =>
        _pipeline = new InputPipeline(_appender, new PromptCommit(context, _appender), _backPressure, new DeliveryPace(_app.Cache, _environment.Time));

    /// <summary>Everything that checkpoint and log are read into.</summary>
    private async ValueTask MakeStateAsync()
    {
        (IFileSystem files, string scratch) = await ScratchFolder.PrepareAsync(_options, _environment.Log);
        var memory = new OutputMemory(_options.MaxBuffered);
        _outputs = new OutputTable(destination => new OutputBuffer(
            destination, memory, new SpillFile(files, scratch, destination, _spill, _environment.Limits), _environment.Limits));
        var check = new ReplayCheck(_options.InstanceName, _pending, _environment.Limits, ContentsDiffered);
        var router = new OutboundRouter(_options.InstanceName, _outputs, _spill, check);
        var limits = new AppLimits(_options.MaxMessageSize, _options.MaxTurnBytes)
        {
            TurnEscapes = () => _environment.Limits.Decided(CoreLimit.Turn),
        };
        _guard = new PoisonGuard(_log, _outputs, _pending, () => _appender.RequestFlush(), _options, _environment.Time, _counters, _logger)
        {
            Limits = _environment.Limits,
            Room = IsReplica ? new CheckpointRoom(_log, SideLockPatience, _environment.Time, _stopping.Token) : null,
        };
        _app = new AppServices(_log, _outputs, _inputs, router, check, limits, _options.InstanceName, _logger, _guard, this)
        {
            Latency = new LatencyProbe(_environment.Time, _options.InstanceName),
            Sizes = _environment.Limits,
            Time = _environment.Time,
            LegacyUpgradeTo = _options.LegacyUpgradeTo,
            Cache = new DeliveryCache(_environment.Limits.CachedRecords, _environment.Limits.CachedBytes),
        };
    }

    private PeerSettings Identity() => new(
        _options.Cluster, _options.InstanceName, _log.InstanceId.ToGuid(), _log.Epoch.Value,
        _options.MaxMessageSize, _options.Heartbeat, _environment.Time, _logger) { Allowed = _options.AllowPeers };

    private void MakeAppServer()
    {
        var takeOver = new TakeOver(_app, _environment, _options.InstanceName, _options.UpgradeWait);
        _appServer = new AppServer(_app, _options, _environment.Token, takeOver, _spill) { Identity = _identity };
        _appServer.AttachedChanged += AppAttachedChanged;
    }

    private void StartOutputs()
    {
        _outputs.Added += OutputAdded;
        foreach (OutputBuffer buffer in _outputs.All.ToList())
        {
            OutputAdded(buffer);
        }
    }

    private async ValueTask ListenAsync(CancellationToken stop)
    {
        if (_app.HasCheckpoint)
        {
            await StartPeersAsync();
        }

        Failpoint.Pass("K21");
        await ListenForAppAsync(stop);
        StartWriterLoops();
        ChangeRole(_app.HasCheckpoint ? "recovering" : "first start");
        TellListening();
    }

    private async ValueTask ListenForAppAsync(CancellationToken stop)
    {
        await ListenAtAsync(_options.BindingSocket ?? _options.BindingAddress, _appServer.ServeAsync, stop);
        await ListenAtAsync(Loopback(_options.ReceivePort), _appServer.ServeLegacyReceiveAsync, stop);
        await ListenAtAsync(Loopback(_options.SendPort), _appServer.ServeLegacySendAsync, stop);
    }

    private void StartWriterLoops()
    {
        var heartbeats = new Heartbeats(_identity, () => _peers?.Links.ToList() ?? [], _outputLinks, Beat);
        _loops.Start(() => heartbeats.RunAsync(_stopping.Token));
        _loops.Start(() => _appender.Completion);
        _loops.Start(WatchForSuccessorAsync);
    }

    private void TellListening()
    {
        CoreLog.WaitingForApp(_logger, _options.InstanceName, (_options.BindingSocket ?? _options.BindingAddress ?? Loopback(_options.ReceivePort))?.ToString() ?? "nowhere");
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
            await listener.DisposeAsync(); // Whoever stops has ended the listeners that there were.
            throw new OperationCanceledException();
        }

        _listeners.Add(listener);
        _loops.Start(() => listener.Completion);
        return listener;
    }

    /// <summary>Peers come once the instance exists: what they send must have a checkpoint to follow.</summary>
    private async Task StartPeersAsync()
    {
        InputState self = _inputs.Get(_options.InstanceName);
        self.Restore(_identity.InstanceId, self.Durable);
        _loops.Start(() => new SelfCalls(_outputs.Get(_options.InstanceName), self, _pipeline, _identity.Epoch).RunAsync(_stopping.Token));
        _peers = new PeerServer(_identity, _inputs, _pipeline, _environment.Catalog, LeaseHeldAsync);
        IListener listener = (await ListenAtAsync(_options.PeerAddress, _peers.ServeAsync, _stopping.Token, _environment.Peers))!;
        EndPointName advertised = _options.Advertise is { Scheme: EndPointScheme.Tcp, Port: 0 } host
            ? host.WithPort(listener.EndPoint.Port)
            : _options.Advertise ?? listener.EndPoint;
        _counters.PeerAddress = advertised.ToString();
        var registration = new Registration(_environment.Catalog, _log, advertised.ToString(), _options.ReplicaId, _logger);
        _registration = registration;
        if (!await registration.TryAsync())
        {
            _loops.Start(() => registration.RetryAsync(_options.Heartbeat, _environment.Time, _stopping.Token));
        }
    }
}
