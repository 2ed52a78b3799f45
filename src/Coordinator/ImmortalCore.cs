using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Poison;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Upgrades;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator;

/// <summary>
/// One immortal's coordinator: recover, serve, drain. Everything here runs on the one SynchronizationContext it was started on, so
/// its state needs no locks; the log's committer has a loop of its own and posts what became durable.
/// </summary>
[System.Diagnostics.CodeAnalysis.SuppressMessage(
    "Design", "CA1001", Justification = "RunAsync owns what it makes and disposes it when it ends; an object that never ran holds nothing.")]
public sealed partial class ImmortalCore
{
    private readonly InstanceSettings _options;
    private readonly CoreEnvironment _environment;
    private readonly InstanceContext _instance;
    private readonly PeerClaims _claims;
    private readonly List<IListener> _listeners = [];
    private readonly List<PeerOutputLink> _outputLinks = [];
    private readonly PendingMarks _pending;
    private readonly CoreCounters _counters = new();
    private readonly RoleMachine _roles;
    private readonly TaskCompletionSource<string> _drainAsked = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly BackPressure _backPressure;
    private readonly SpillBudget _spill;
    private readonly TaskCompletionSource _listening = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _stopping = new();
    private readonly CoreParts _parts;
    private readonly AppendLease _append;
    private readonly LogPosition _position = new();
    private PeerServer? _peers;
    private StatusBoard? _board;
    private long _started;
    private long _recoveryStarted;
    private bool _appBegins;

    /// <summary>Made on any thread; <see cref="RunAsync"/> decides where it lives.</summary>
    public ImmortalCore(InstanceSettings options, CoreEnvironment environment)
    {
        _options = options;
        _environment = environment;
        _append = new AppendLease(environment.Time);
        _pending = new PendingMarks(environment.Limits);
        _parts = new CoreParts(new OutsideEntrance(environment.Limits.Outside, options.MaxMessageSize, _pending, environment.Time));
        _spill = new SpillBudget(options.MaxSpill);
        _spill.Filled += () => environment.Limits.Decided(CoreLimit.Spill);
        _backPressure = new BackPressure(options.MaxLag, _spill) { Held = () => environment.Limits.Decided(CoreLimit.Lag) };
        _instance = new InstanceContext(
            options.InstanceName, environment.Time, environment.Logger, new CoreLoops(_stopping.Token), _stopping.Token);
        _claims = new PeerClaims(_instance, _append, _pending) { Tracer = environment.Tracer };
        _roles = new RoleMachine(PublishStatus);
    }

    /// <summary>What people and probes may see and ask, from any thread. Null before <see cref="RunAsync"/>.</summary>
    public ICoordinatorStatus? Status => _board;

    /// <summary>Where calls from outside enter, from any thread; it says so while it takes none.</summary>
    public IOutsideEntrance Outside => _parts.Outside;

    /// <summary>What the app's methods take and return. From any thread.</summary>
    public AppShapes Shapes => _parts.Shapes;

    /// <summary>Completes once the app can attach.</summary>
    public Task Listening => _listening.Task;

    /// <summary>
    /// Recovers and serves until <paramref name="stop"/> is cancelled, then drains. Must be called on a single-threaded
    /// SynchronizationContext.
    /// </summary>
    /// <exception cref="CoordinatorException">It cannot go on.</exception>
    /// <exception cref="LogStoreException">The log cannot go on.</exception>
    public async Task RunAsync(CancellationToken stop)
    {
        SynchronizationContext context = SynchronizationContext.Current
            ?? throw new InvalidOperationException("The core needs a single-threaded SynchronizationContext.");
        using var beginning = CancellationTokenSource.CreateLinkedTokenSource(stop);
        using var board = new StatusBoard(
            _options.InstanceName,
            context,
            taken => _parts.Checkpoints.Request(taken),
            () => _parts.AppServerIfMade?.Session, // Until it listens for an app there is none to ask.
            reason =>
            {
                // One that waits for the log has nothing to finish: it waits no longer.
                _drainAsked.TrySetResult(reason);
                FirstOf.Cancel(beginning);
            },
            () => _care?.DeadLetters);
        _board = board;
        _started = _environment.Time.GetTimestamp();
        _recoveryStarted = _started;
        PublishStatus(); // Which coordinator it is can be told before there is more.
        board.Starts("starting");
        bool failed = true;
        try
        {
            await OpenLogAsync(beginning.Token);
            board.Starts("it waits for the right to append to its log");
            if (await _parts.Leases.AcquireAsync(beginning.Token))
            {
                board.Starts("it reads its log");
                await BecomeWriterAsync(context);
                await RecoverAsync(context);
                await ListenAsync(beginning.Token);
            }
            else
            {
                board.Starts("it reads its checkpoint");
                await StartFollowingAsync(context, beginning.Token);
            }

            await WaitForEndAsync(stop);
            failed = false;
        }
        catch (OperationCanceledException) when (beginning.IsCancellationRequested)
        {
            failed = false; // Asked to stop before it served.
        }
        finally
        {
            await StopAsync(failed);
        }
    }

    /// <summary>How many checkpoints of its app this life has made durable. Read on the core's context.</summary>
    public long CheckpointsTaken => _parts.CheckpointsIfMade?.Taken ?? 0;

    /// <summary>Last durable record. Read on the core's context.</summary>
    public Lsn DurableLsn => _position.Durable;

    /// <summary>Nothing is on its way: every output is confirmed durable, every input executed. Read on the core's context.</summary>
    public bool IsIdle =>
        _parts.StateIfMade is { } state && state.Outputs.All.All(static buffer => buffer.IsEmpty)
        && _parts.AppServerIfMade?.Session is { IsQuiet: true } && _counters.AppPosition == DurableLsn.Value
        && state.Inputs.All.All(static input => input.Accepted == input.Durable);

    /// <summary>Nothing waits for a record that says it: trims, digests, decisions.</summary>
    internal bool OwesTheLogNothing => _pending.IsEmpty;

    /// <summary>Digests that are held for a comparison.</summary>
    internal int DigestsHeld => _parts.AppIfMade?.Check.Held ?? 0;

    /// <summary>Where everything stands, in one line for a failed test.</summary>
    public string Describe() => _parts.StateIfMade is { } state
        ? StatusSnapshotBuilder.Describe(_roles.Current, DurableLsn, state, _outputLinks)
        : _roles.Current.Text();

    /// <summary>What it is now, as its status says it.</summary>
    internal ReplicaRole Role => _roles.Current;

    internal CoreActivity Activity => StatusSnapshotBuilder.Activity(
        _roles.Current, _counters, DurableLsn, _parts.AppServerIfMade?.Session, _parts.StateIfMade?.Outputs, _outputLinks);

    /// <summary>Asks for a checkpoint; it is taken behind the record that the app is at.</summary>
    public void RequestCheckpoint() => _parts.CheckpointsIfMade?.Request();

    private async Task FirstCheckpointTakenAsync()
    {
        CoreLog.FirstStart(_instance.Logger, _instance.Name);
        await StartPeersAsync();
    }

    private void AppDone(Lsn lsn)
    {
        if (_appBegins)
        {
            _appBegins = false;
            _backPressure.Begins(lsn.Value);
        }

        _backPressure.Consumed(lsn.Value);
        _parts.Log.AppPosition = lsn;
        _counters.AppPosition = lsn.Value;
    }

    private void AppBecamePrimary()
    {
        _claims.ReplayEnded(_parts.State.Outputs);
        TimeSpan recovery = _environment.Time.GetElapsedTime(_recoveryStarted);
        _counters.RecoverySeconds = recovery.TotalSeconds;
        _parts.Cutover.Acts();
        _roles.Change(ReplicaRole.Primary);
        TellStand(recovery);
    }

    /// <summary>
    /// A record led to other contents than the first time. The first logged version wins; whether that is harmless only a person can tell.
    /// </summary>
    private void ContentsDiffered(ulong lsn)
    {
        long count = ++_counters.ContentsDiffered;
        if (_options.OnContentDivergence == ContentDivergencePolicy.Stop)
        {
            throw ReplayCheck.OtherContents(_options.InstanceName, lsn);
        }

        if (count is 1 or 10 or 100 || count % 1000 == 0)
        {
            CoreLog.ContentsDiffered(_instance.Logger, _instance.Name, lsn, count);
        }
    }

    /// <summary>The line of a start that says all that somebody needs who wants to look at the instance.</summary>
    private void TellStand(TimeSpan readyAfter)
    {
        string name = _options.InstanceName;
        EndPointName? address = _environment.AdminAddress();
        string page = StatusSnapshotBuilder.PageOf(name, address, LogStores.IsLocal(_options.Store));
        string build = _parts.AppServer.Introduction is { AppVersion.Length: > 0 } app ? $"build: {app.AppVersion}; " : "";
        string admin = address?.ToString() ?? "none (--admin)";
        CoreLog.Stands(
            _instance.Logger, name, _roles.Current.Text(), _parts.Identity.Epoch, readyAfter.TotalMilliseconds, _parts.Log.Location, build,
            admin, page);
    }

    private void OutputAdded(OutputBuffer buffer)
    {
        if (buffer.Destination != _options.InstanceName)
        {
            var link = new PeerOutputLink(
                buffer, _parts.Identity, _environment.Peers, _environment.Catalog,
                new ReconnectPolicy(_environment.Time, _environment.Random, _stopping.Token), _claims);
            _outputLinks.Add(link);
            _instance.Loops.Start(link.RunAsync);
        }
    }

    /// <summary>A record is on stable storage: the one place from which anything is acknowledged or delivered (G3).</summary>
    private void BecameDurable(CachedRecord record)
    {
        RecordMarks marks = record.Marks;
        RecordHeader header = record.Record.Header;
        Lsn lsn = header.Lsn;
        int bytes = record.Record.Body.Length;
        _position.Durable = lsn;
        _counters.Records++;
        _backPressure.Logged(lsn.Value, bytes);
        _parts.State.Apply(marks, new RecordPlace(lsn, header.Epoch, header.Timestamp), RecordOrigin.Own, _parts.Identity.Epoch);
        _parts.Outside.BecameDurable(marks.Outside);
        _marks?.BecameDurable(lsn, marks);
        _parts.Guard.BecameDurable(marks.Poison);
        NoteUpgrades(marks.Upgrades);
        _parts.Decisions.BecameDurable(marks);
        _dropper?.BecameDurable(marks.Drops);
        _parts.App.Check.BecameDurable(marks.Turns);
        _environment.Tracer?.Logged(lsn, record.Record.Payload.Span, marks.MessageCount);
        _counters.MessagesLogged += marks.MessageCount;
        _counters.BytesLogged += bytes;
        if (_pending.IsFull)
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

    private void NoteUpgrades(List<UpgradeMark> marks)
    {
        foreach (UpgradeMark mark in marks)
        {
            if (mark.At > Lsn.None)
            {
                _parts.CutoverIfMade?.Upgraded(mark);
            }
        }
    }

    private void AppAttachedChanged(bool attached)
    {
        _counters.Attaches += attached ? 1 : 0;
        _appBegins = attached;
        if (attached)
        {
            _parts.Checkpoints.AppAttached();
            return;
        }

        if (_stopping.IsCancellationRequested || _roles.Current == ReplicaRole.Draining || _parts.AppServer.Fails)
        {
            return;
        }

        if (!_parts.AppServer.HasCandidate)
        {
            _instance.Loops.Start(() => _parts.App.EndUpgradeAsync().AsTask());
        }

        if (!_position.Follows)
        {
            _roles.Change(ReplicaRole.WaitingForApp);
            _recoveryStarted = _environment.Time.GetTimestamp();
        }

        if (!_drainAsked.Task.IsCompleted)
        {
            CoreLog.AppLeft(_instance.Logger, _instance.Name); // Else it is not waited for.
        }

        if (_options.OnAppExit == AppExitPolicy.Stop)
        {
            _instance.Loops.Fail(CoreFailures.AppGone(_options.InstanceName));
        }
    }

    private async Task WaitForEndAsync(CancellationToken stop)
    {
        await using CancellationTokenRegistration registration = stop.Register(() => _drainAsked.TrySetResult("a signal"));
        await FirstOf.EndsAsync(_instance.Loops.Failed, _drainAsked.Task);
        if (_instance.Loops.Failed.IsCompleted)
        {
            System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(await _instance.Loops.Failed);
        }
    }

    private async ValueTask StopAsync(bool failed)
    {
        CoreLog.Stopping(_instance.Logger, _instance.Name);
        _roles.Change(ReplicaRole.Draining);
        _parts.Outside.Refuse();
        if (failed)
        {
            _parts.GuardIfMade?.Abandon();
            _dropper?.Abandon();
        }

        _parts.DecisionsIfMade?.Abandon();
        if (_parts.AppServerIfMade is not null)
        {
            await _parts.AppServer.StopAsync(drain: !failed);
        }

        _parts.Outside.Close();
        _outputLinks.ForEach(static link => link.Stop());
        FirstOf.Cancel(_stopping);
        _append.StopWaiting();
        foreach (IListener listener in _listeners)
        {
            await listener.DisposeAsync();
        }

        _peers?.Stop();
        _marks?.Stop();
        _backPressure.Stop();
        _parts.StateIfMade?.Outputs.Get(_options.InstanceName).Changed.Set();
        if (_parts.LogIfOpen is not null)
        {
            await _parts.Log.DisposeAsync();
        }

        _dropper?.Abandon(); // A record that the log has not made by now is not made.
        await _instance.Loops.EndAsync();
        if (_parts.StateIfMade is not null)
        {
            await _parts.State.DisposeAsync();
        }

        await _append.GiveBackAsync();
        await (_parts.AppIfMade?.EndUpgradeAsync() ?? default);
        // The log has ended, and with it all checkpoints that were being written.
        await (_parts.CheckpointsIfMade?.Checkpointer.GiveBackAsync(giveUp: false) ?? default);
        await (_parts.LeasesIfMade?.LeaveAsync(failed) ?? default);
        _append.Dispose();
        _stopping.Dispose();
    }
}
