using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Recovery;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.Settings;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;

namespace Ambrosia.Coordinator;

/// <summary>
/// One immortal's coordinator: recover, serve, drain. Everything here runs on the one SynchronizationContext it was started on, so
/// its state needs no locks; the log's committer has a loop of its own and posts what became durable.
/// </summary>
public sealed class ImmortalCore
{
    private readonly CoreParts _parts;
    private readonly ServingInstance _serving;
    private readonly StatusPublisher _publisher;
    private readonly RecoverySequence _recovery;

    /// <summary>Made on any thread; <see cref="RunAsync"/> decides where it lives.</summary>
    public ImmortalCore(InstanceSettings options, CoreEnvironment environment)
    {
        _parts = new CoreParts(options, environment, () => _publisher!.Publish());
        _publisher = new StatusPublisher(_parts) { Serving = () => _serving! };
        _serving = new ServingInstance(_parts)
        {
            VerifyLease = () => _recovery!.Leases.VerifyAsync(),
            BeatLease = () => _recovery!.Leases.BeatAsync(),
            Beat = _publisher.Beat,
            Stands = _publisher.TellStand,
        };
        _recovery = new RecoverySequence(_parts, _serving, _publisher);
    }

    /// <summary>What people and probes may see and ask, from any thread. Null before <see cref="RunAsync"/>.</summary>
    public ICoordinatorStatus? Status => _publisher.Board;

    /// <summary>Where calls from outside enter, from any thread; it says so while it takes none.</summary>
    public IOutsideEntrance Outside => _parts.Outside;

    /// <summary>Where awakeables are completed, from any thread.</summary>
    public IAwakeableEntrance Awakeables => _serving.Awakeables;

    /// <summary>What the app's methods take and return. From any thread.</summary>
    public AppShapes Shapes => _parts.Shapes;

    /// <summary>Completes once the app can attach.</summary>
    public Task Listening => _serving.Listening;

    /// <summary>How many checkpoints of its app this life has made durable. Read on the core's context.</summary>
    public long CheckpointsTaken => _parts.CheckpointsIfMade?.Taken ?? 0;

    /// <summary>Last durable record. Read on the core's context.</summary>
    public Lsn DurableLsn => _parts.Position.Durable;

    /// <summary>Nothing is on its way: every output is confirmed durable, every input executed. Read on the core's context.</summary>
    public bool IsIdle =>
        _parts.StateIfMade is { } state && state.Outputs.All.All(static buffer => buffer.IsEmpty)
        && _parts.AppServerIfMade?.Session is { IsQuiet: true } && _parts.Counters.AppExecuted == DurableLsn.Value
        && state.Inputs.All.All(static input => input.Accepted == input.Durable);

    /// <summary>Nothing waits for a record that says it: trims, digests, decisions.</summary>
    internal bool OwesTheLogNothing => _parts.Pending.IsEmpty;

    /// <summary>Digests that are held for a comparison.</summary>
    internal int DigestsHeld => _parts.AppIfMade?.Check.Held ?? 0;

    /// <summary>What it is now, as its status says it. Read on the core's context.</summary>
    public ReplicaRole Role => _parts.Roles.Current;

    internal CoreActivity Activity => StatusSnapshotBuilder.Activity(
        Role, _parts.Counters, DurableLsn, _parts.AppServerIfMade?.Session, _parts.StateIfMade?.Outputs, _serving.OutputLinks);

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
        using StatusBoard board = MakeBoard(context, beginning);
        _serving.RecoveryBegins();
        _publisher.Begin(board);
        board.Starts("starting");
        bool failed = true;
        try
        {
            await _recovery.OpenLogAsync(beginning.Token);
            board.Starts("it waits for the right to append to its log");
            if (await _recovery.Leases.AcquireAsync(beginning.Token))
            {
                board.Starts("it reads its log");
                await _serving.BecomeWriterAsync(context);
                await _recovery.RecoverAsync(context);
                await _recovery.ListenAsync(beginning.Token);
            }
            else
            {
                board.Starts("it reads its checkpoint");
                await _recovery.FollowAsync(context, beginning.Token);
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

    /// <summary>Where everything stands, in one line for a failed test.</summary>
    public string Describe() => _parts.StateIfMade is { } state
        ? StatusSnapshotBuilder.Describe(Role, DurableLsn, state, _serving.OutputLinks)
        : Role.Text();

    /// <summary>Asks for a checkpoint; it is taken after the record that the app is at.</summary>
    public void RequestCheckpoint() => _parts.CheckpointsIfMade?.Request();

    private StatusBoard MakeBoard(SynchronizationContext context, CancellationTokenSource beginning) => new(
        _parts.Options.InstanceName,
        context,
        taken => _parts.Checkpoints.Request(taken),
        () => _parts.AppServerIfMade?.Session, // Until it listens for an app there is none to ask.
        reason =>
        {
            // One that waits for the log has nothing to finish: it waits no longer.
            _parts.DrainAsked.TrySetResult(reason);
            FirstOf.Cancel(beginning);
        },
        () => _publisher.DeadLetters);

    private async Task WaitForEndAsync(CancellationToken stop)
    {
        await using CancellationTokenRegistration registration = stop.Register(() => _parts.DrainAsked.TrySetResult("a signal"));
        CoreLoops loops = _parts.Instance.Loops;
        await FirstOf.EndsAsync(loops.Failed, _parts.DrainAsked.Task);
        if (loops.Failed.IsCompleted)
        {
            System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(await loops.Failed);
        }
    }

    private async ValueTask StopAsync(bool failed)
    {
        CoreLog.Stopping(_parts.Instance.Logger, _parts.Instance.Name);
        _parts.Roles.Change(ReplicaRole.Draining);
        _parts.Outside.Refuse();
        if (failed)
        {
            _parts.GuardIfMade?.Abandon();
            _serving.Dropper?.Abandon();
        }

        _parts.DecisionsIfMade?.Abandon();
        if (_parts.AppServerIfMade is not null)
        {
            await _parts.AppServer.StopAsync(drain: !failed);
        }

        _parts.Outside.Close();
        _serving.StopLinks();
        FirstOf.Cancel(_parts.Stopping);
        _parts.Append.StopWaiting();
        await _serving.CloseAsync();
        _parts.BackPressure.Stop();
        _parts.StateIfMade?.Outputs.Get(_parts.Options.InstanceName).Changed.Set();
        if (_parts.LogIfOpen is not null)
        {
            await _parts.Log.DisposeAsync();
        }

        _serving.Dropper?.Abandon(); // A record that the log has not made by now is not made.
        await _parts.Instance.Loops.EndAsync();
        if (_parts.StateIfMade is not null)
        {
            await _parts.State.DisposeAsync();
        }

        await LeaveAsync(failed);
    }

    // The log has ended, and with it all checkpoints that were being written.
    private async ValueTask LeaveAsync(bool failed)
    {
        await _parts.Append.GiveBackAsync();
        await (_parts.AppIfMade?.LeaveUpgradesAsync() ?? default);
        await (_parts.CheckpointsIfMade?.Checkpointer.GiveBackAsync(giveUp: false) ?? default);
        await (_recovery.LeasesIfMade?.LeaveAsync(failed) ?? default);
        _parts.Append.Dispose();
        _parts.Stopping.Dispose();
    }
}
