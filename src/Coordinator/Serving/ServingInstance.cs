using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Format;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Serving;

/// <summary>
/// What an instance has that serves: its addresses, its links, and the one place from which durable records go on. A secondary has its
/// app's address only; the rest follows when it is promoted.
/// </summary>
/// <param name="parts">What the core is made of.</param>
internal sealed class ServingInstance(CoreParts parts)
{
    private readonly List<IListener> _listeners = [];
    private readonly List<PeerOutputLink> _outputLinks = [];
    private readonly TaskCompletionSource _listening = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CoreParts _parts = parts;
    private readonly InstanceSettings _options = parts.Options;
    private readonly CoreEnvironment _environment = parts.Environment;
    private readonly InstanceContext _instance = parts.Instance;
    private readonly PeerClaims _claims = new(
        parts.Instance, parts.Append, parts.Pending, () => parts.Appender.RequestFlush()) { Tracer = parts.Environment.Tracer };
    private PeerServer? _peers;
    private DurableMarks? _marks;
    private long _recoveryStarted;
    private bool _appBegins;

    /// <summary>Whether no other process may append; fails if one may.</summary>
    public required Func<ValueTask<bool>> VerifyLease { get; init; }

    /// <summary>For a replica that writes: shows the others that it lives.</summary>
    public required Func<Task> BeatLease { get; init; }

    /// <summary>What is done at each heartbeat.</summary>
    public required Action Beat { get; init; }

    /// <summary>Tells people where the instance stands, and how long its recovery took.</summary>
    public required Action<TimeSpan> Stands { get; init; }

    /// <summary>Completes once the app can attach.</summary>
    public Task Listening => _listening.Task;

    /// <summary>Where awakeables are completed. It is there from the beginning, and refuses until this process serves.</summary>
    public AwakeableEntrance Awakeables { get; } = new(parts.Outside);

    /// <summary>One for each destination that is another instance.</summary>
    public List<PeerOutputLink> OutputLinks => _outputLinks;

    /// <summary>What ends the wait for destinations that are away for too long; null: they are waited for.</summary>
    public OutputDropper? Dropper { get; private set; }

    /// <summary>From here on counts what a recovery takes.</summary>
    public void RecoveryBegins() => _recoveryStarted = _environment.Time.GetTimestamp();

    /// <summary>
    /// The right to append is ours: the next epoch is durable before anything is done under it (docs/internals/exactly-once.md H4).
    /// </summary>
    public async ValueTask BecomeWriterAsync(SynchronizationContext context)
    {
        Failpoint.Pass("K20");
        WriterStart start = await _parts.Log.BecomeWriterAsync(_parts.Append.Held);
        _instance.Stopping.ThrowIfCancellationRequested(); // Told to stop meanwhile, it has closed the log.
        CoreLog.EpochOpened(_instance.Logger, _instance.Name, start.Epoch.Value, start.TornBytes);
        _parts.Log.CheckpointLost = () => context.Post(_ => _instance.Loops.Do(CheckpointLost), null);
        _parts.Pending.Limit(_options.MaxMessageSize);
        _parts.Appender = _parts.Log.StartAppending(new RecordSink(context, _parts.Pending, _instance.Loops.Do, BecameDurable));
        _parts.Pending.Full = _parts.Appender.RequestFlush;
        _parts.Identity = _parts.ReadIdentity();
        StartReplicaDuties(context);
    }

    /// <summary>From inputs to the log.</summary>
    public void MakePipeline(SynchronizationContext context)
    {
        _environment.Tracer?.Serves(_parts.Log.InstanceId.ToGuid());
        _parts.Pipeline = new InputPipeline(
            _parts.Appender, new PromptCommit(context, _instance.Loops.Do, _parts.Appender), _parts.BackPressure,
                new DeliveryPace(_parts.App.Cache, _environment.Time), _parts.Pending) { Tracer = _environment.Tracer };
        NameAwakeables();
    }

    /// <summary>Links to all destinations that there are, and to those that come.</summary>
    public void StartOutputs()
    {
        if (_options.DropOutputsAfter > TimeSpan.Zero)
        {
            (IFileSystem files, string folder) = DroppedFolder.Of(_options, _environment.Log);
            Dropper = new OutputDropper(
                _options, _parts.Spill, _parts.Pending, _parts.Appender.RequestFlush, files, folder, _parts.Identity.Epoch,
                _environment.Time, _parts.Counters, _instance.Logger);
        }

        _parts.State.Outputs.Added += OutputAdded;
        foreach (OutputBuffer buffer in _parts.State.Outputs.All.ToList())
        {
            OutputAdded(buffer);
        }
    }

    /// <summary>The addresses at which an app may attach.</summary>
    public async ValueTask ListenForAppAsync(CancellationToken stop)
    {
        await ListenAtAsync(_options.BindingSocket ?? _options.BindingAddress, _parts.AppServer.ServeAsync, stop);
        await ListenAtAsync(Loopback(_options.ReceivePort), _parts.AppServer.ServeLegacyReceiveAsync, stop);
        await ListenAtAsync(Loopback(_options.SendPort), _parts.AppServer.ServeLegacySendAsync, stop);
    }

    /// <summary>Says that an app can attach.</summary>
    public void TellListening()
    {
        EndPointName? address = _options.BindingSocket ?? _options.BindingAddress ?? Loopback(_options.ReceivePort);
        CoreLog.WaitingForApp(_instance.Logger, _instance.Name, address?.ToString() ?? "nowhere");
        _listening.TrySetResult();
    }

    /// <summary>Peers come once the instance exists: what they send must have a checkpoint to follow.</summary>
    public async Task StartPeersAsync()
    {
        InputState self = _parts.State.Inputs.Get(_options.InstanceName);
        self.Restore(_parts.Identity.InstanceId, self.Durable);
        var selfCalls = new SelfCalls(_parts.State.Outputs.Get(_options.InstanceName), self, _parts.Pipeline, _parts.Identity.Epoch);
        _instance.Loops.Start(() => selfCalls.RunAsync(_instance.Stopping));
        OpenToOutside(_parts.State);
        _peers = new PeerServer(_parts.Identity, _parts.State.Inputs, _parts.Pipeline, _environment.Catalog, VerifyLease);
        IListener listener = (await ListenAtAsync(_options.PeerAddress, _peers.ServeAsync, _instance.Stopping, _environment.Peers))!;
        EndPointName advertised = _options.Advertise is { Scheme: EndPointScheme.Tcp, Port: 0 } host
            ? host.WithPort(listener.EndPoint.Port)
            : _options.Advertise ?? listener.EndPoint;
        _parts.Counters.PeerAddress = advertised.ToString();
        var registration = new Registration(
            _environment.Catalog, _parts.Log, _parts.Append.Held, advertised.ToString(), _environment.IngressAddress(advertised),
            _options.ReplicaId, _instance.Logger);
        _claims.Registration = registration;
        if (!await registration.TryAsync())
        {
            _instance.Loops.Start(() => registration.RetryAsync(_options.Heartbeat, _environment.Time, _instance.Stopping));
        }
    }

    /// <summary>What a writer does at all times.</summary>
    public void StartWriterLoops()
    {
        var heartbeats = new Heartbeats(_parts.Identity, () => _peers?.Links.ToList() ?? [], _outputLinks, Beat);
        _instance.Loops.Start(() => heartbeats.RunAsync(_instance.Stopping));
        _instance.Loops.Start(() => _parts.Appender.Completion);
    }

    /// <summary>The app has taken its first checkpoint.</summary>
    public async Task FirstCheckpointTakenAsync()
    {
        CoreLog.FirstStart(_instance.Logger, _instance.Name);
        await StartPeersAsync();
    }

    /// <summary>The app has executed everything up to this record.</summary>
    public void AppExecuted(Lsn lsn)
    {
        if (_appBegins)
        {
            _appBegins = false;
            _parts.BackPressure.Begins(lsn.Value);
        }

        _parts.BackPressure.Executed(lsn.Value);
        _parts.Log.AppExecuted = lsn;
        _parts.Counters.AppExecuted = lsn.Value;
    }

    /// <summary>The app acts: what it sends from here on is seen.</summary>
    public void AppBecamePrimary()
    {
        _claims.ReplayEnded(_parts.State.Outputs);
        TimeSpan recovery = _environment.Time.GetElapsedTime(_recoveryStarted);
        _parts.Counters.RecoverySeconds = recovery.TotalSeconds;
        _parts.Cutover.Acts();
        _parts.Roles.Change(ReplicaRole.Primary);
        Stands(recovery);
    }

    /// <summary>An app has attached, or left.</summary>
    public void AppAttachedChanged(bool attached)
    {
        _parts.Counters.Attaches += attached ? 1 : 0;
        _appBegins = attached;
        if (attached)
        {
            _parts.Checkpoints.AppAttached();
            return;
        }

        if (_instance.Stopping.IsCancellationRequested || _parts.Roles.Current == ReplicaRole.Draining || _parts.AppServer.Fails)
        {
            return;
        }

        if (!_parts.Position.Follows)
        {
            _parts.Roles.Change(ReplicaRole.WaitingForApp);
            RecoveryBegins();
        }

        if (!_parts.DrainAsked.Task.IsCompleted)
        {
            CoreLog.AppLeft(_instance.Logger, _instance.Name); // Else it is not waited for.
        }

        if (_options.OnAppExit == AppExitPolicy.Stop)
        {
            _instance.Loops.Fail(CoreFailures.AppGone(_options.InstanceName));
        }
    }

    /// <summary>Nothing is sent any more.</summary>
    public void StopLinks() => _outputLinks.ForEach(static link => link.Stop());

    /// <summary>Nobody comes in any more.</summary>
    public async ValueTask CloseAsync()
    {
        foreach (IListener listener in _listeners)
        {
            await listener.DisposeAsync();
        }

        _peers?.Stop();
        _marks?.Stop();
    }

    private static EndPointName? Loopback(int? port) => port is { } number ? EndPointName.Tcp("127.0.0.1", number) : null;

    /// <summary>A record is on stable storage: the one place from which anything is acknowledged or delivered (G3).</summary>
    private void BecameDurable(CachedRecord record)
    {
        RecordMarks marks = record.Marks;
        RecordHeader header = record.Record.Header;
        Lsn lsn = header.Lsn;
        int bytes = record.Record.Body.Length;
        _parts.Position.Durable = lsn;
        _parts.Counters.Records++;
        _parts.BackPressure.Logged(lsn.Value, bytes);
        _parts.State.Apply(marks, new RecordPlace(lsn, header.Epoch, header.Timestamp), RecordOrigin.Own, _parts.Identity.Epoch);
        _parts.Outside.BecameDurable(marks.Outside);
        _marks?.BecameDurable(lsn, marks);
        _parts.Guard.BecameDurable(marks.Poison);
        NoteUpgrades(marks.Upgrades);
        _parts.Decisions.BecameDurable(marks);
        Dropper?.BecameDurable(marks.Drops);
        _parts.App.Check.BecameDurable(marks.Turns);
        _environment.Tracer?.Logged(lsn, record.Record.Payload.Span, marks.MessageCount);
        _parts.Counters.MessagesLogged += marks.MessageCount;
        _parts.Counters.BytesLogged += bytes;
        if (_parts.Pending.IsFull)
        {
            _parts.Appender.RequestFlush(); // After a long absence of the app one record takes only a share of what waits.
        }

        if (_parts.AppServerIfMade?.Session is { } session)
        {
            _parts.App.Cache.Offer(record);
            session.Wake();
        }
        else
        {
            record.Dispose();
        }

        _parts.Checkpoints.Logged(bytes);
    }

    private void NoteUpgrades(List<VersionChange> marks)
    {
        foreach (VersionChange mark in marks)
        {
            if (mark.At > Lsn.None)
            {
                _parts.CutoverIfMade?.Upgraded(mark);
            }
        }
    }

    private void OutputAdded(OutputBuffer buffer)
    {
        if (buffer.Destination != _options.InstanceName)
        {
            var link = new PeerOutputLink(
                buffer, _parts.Identity, _environment.Peers, _environment.Catalog,
                new ReconnectPolicy(_environment.Time, _environment.Random, _instance.Stopping), _claims);
            _outputLinks.Add(link);
            _instance.Loops.Start(link.RunAsync);
        }
    }

    // Checkpoint and log are read, and no message is in this epoch's records yet: the first one that is finds a key before it, unless the
    // log has it already (outside-calls.md X32).
    private void NameAwakeables()
    {
        AwakeableKey? before = _parts.State.Awakeables;
        if (_environment.AwakeableAddress() is { } address && address != before?.Address)
        {
            _parts.Pending.NameAwakeables(before is null ? new AwakeableKey(Secret(), address) : before with { Address = address });
        }
    }

    private byte[] Secret()
    {
        byte[] secret = new byte[AwakeableKey.SecretSize];
        _environment.Log.Entropy.Fill(secret);
        return secret;
    }

    private void OpenToOutside(CoordinatorState state)
    {
        ulong now = (ulong)_environment.Time.GetUtcNow().ToUnixTimeMilliseconds();
        _parts.Outside.Open(new OutsideDoor(
            SynchronizationContext.Current!, state.Inputs.Get(OutsideNames.Input), state.Outside,
            new OutsideAdmission(state.Outside, _environment.Limits.Outside, now), _parts.Pipeline, _parts.Identity.Epoch,
            VerifyLease, _instance.Loops.Start, _parts.Identity.InstanceId));
        Awakeables.Open(() => state.Awakeables, _parts.Identity.InstanceId);
    }

    private async ValueTask<IListener?> ListenAtAsync(
        EndPointName? address, Func<IConnection, Task> serve, CancellationToken stop, ITransport? transport = null)
    {
        if (address is null)
        {
            return null;
        }

        IListener listener = await (transport ?? _environment.Transport).ListenAsync(address, serve, stop);
        if (_instance.Stopping.IsCancellationRequested)
        {
            await listener.DisposeAsync(); // The stop has ended the listeners that there were.
            throw new OperationCanceledException();
        }

        _listeners.Add(listener);
        _instance.Loops.Start(() => listener.Completion);
        return listener;
    }

    // A checkpoint that retention counted on is damaged or gone.
    private void CheckpointLost()
    {
        if (!_instance.Stopping.IsCancellationRequested)
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
        if (_parts.IsReplica)
        {
            _marks = new DurableMarks(_parts.Appender, _environment.Time);
            _instance.Loops.Start(() => _marks.RunAsync(_instance.Stopping));
            _parts.Log.CheckpointAdopted = entry => context.Post(_ => _instance.Loops.Do(() => CheckpointAdopted(entry)), null);
            _instance.Loops.Start(BeatLease);
        }
    }
}
