using System.Diagnostics;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Poison;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Upgrades;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;

namespace Ambrosia.Coordinator.Serving;

/// <summary>
/// What a core is made of. What it is told, and what counts and bounds, is there from the beginning. Each other part is there from its step
/// of the start on: the log, then the right to append (a follower gets it later), then the state that the log is read into. A core may be
/// asked, or told to stop, before any of these steps.
/// </summary>
[System.Diagnostics.CodeAnalysis.SuppressMessage(
    "Design", "CA1001", Justification = "The core owns what is made here and disposes it when it ends.")]
internal sealed class CoreParts
{
    public CoreParts(InstanceSettings options, CoreEnvironment environment, Action roleChanged)
    {
        Options = options;
        Environment = environment;
        Append = new AppendLease(environment.Time);
        Pending = new PendingMarks(environment.Limits);
        Outside = new OutsideEntrance(environment.Limits.Outside, options.MaxMessageSize, Pending, environment.Time);
        Spill = new SpillBudget(options.MaxSpill);
        Spill.Filled += () => environment.Limits.Decided(CoreLimit.Spill);
        BackPressure = new BackPressure(options.MaxLag, Spill) { Held = () => environment.Limits.Decided(CoreLimit.Lag) };
        Instance = new InstanceContext(
            options.InstanceName, environment.Time, environment.Logger, new CoreLoops(Stopping.Token), Stopping.Token);
        Roles = new RoleMachine(roleChanged);
    }

    /// <summary>What the instance is told.</summary>
    public InstanceSettings Options { get; }

    /// <summary>The seams of the core.</summary>
    public CoreEnvironment Environment { get; }

    public InstanceContext Instance { get; }

    /// <summary>The right to append.</summary>
    public AppendLease Append { get; }

    /// <summary>What the next record says beside its messages.</summary>
    public PendingMarks Pending { get; }

    public CoreCounters Counters { get; } = new();

    public RoleMachine Roles { get; }

    public BackPressure BackPressure { get; }

    public SpillBudget Spill { get; }

    public LogPosition Position { get; } = new();

    /// <summary>Cancelled when the core stops.</summary>
    public CancellationTokenSource Stopping { get; } = new();

    /// <summary>Completes when the core is asked to stop; the result says by what.</summary>
    public TaskCompletionSource<string> DrainAsked { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Where calls from outside enter. It is there from the beginning, and refuses until this process admits them.</summary>
    public OutsideEntrance Outside { get; }

    /// <summary>What the app's methods take and return.</summary>
    public AppShapes Shapes { get; } = new();

    /// <summary>Whether there may be others beside this process, with the same log.</summary>
    public bool IsReplica => Options.ReplicaId is not null;

    public WriteAheadLog? LogIfOpen { get; private set; }

    public WriteAheadLog Log { get => Made(LogIfOpen); set => LogIfOpen = value; }

    public CheckpointScheduler? CheckpointsIfMade { get; private set; }

    /// <summary>Whether, when and by which replica checkpoints are taken.</summary>
    public CheckpointScheduler Checkpoints { get => Made(CheckpointsIfMade); set => CheckpointsIfMade = value; }

    public PeerSettings? IdentityIfKnown { get; private set; }

    /// <summary>Name, identity and epoch. A follower knows the epoch that it follows.</summary>
    public PeerSettings Identity { get => Made(IdentityIfKnown); set => IdentityIfKnown = value; }

    public CoordinatorState? StateIfMade { get; private set; }

    /// <summary>What checkpoint and log are read into, and every durable record is applied to.</summary>
    public CoordinatorState State { get => Made(StateIfMade); set => StateIfMade = value; }

    public DecisionLog? DecisionsIfMade { get; private set; }

    public DecisionLog Decisions { get => Made(DecisionsIfMade); set => DecisionsIfMade = value; }

    public PoisonGuard? GuardIfMade { get; private set; }

    public PoisonGuard Guard { get => Made(GuardIfMade); set => GuardIfMade = value; }

    public AppServices? AppIfMade { get; private set; }

    public AppServices App { get => Made(AppIfMade); set => AppIfMade = value; }

    public AppServer? AppServerIfMade { get; private set; }

    public AppServer AppServer { get => Made(AppServerIfMade); set => AppServerIfMade = value; }

    public UpgradeCutover? CutoverIfMade { get; private set; }

    /// <summary>Leads an app that attaches beside another one into its place.</summary>
    public UpgradeCutover Cutover { get => Made(CutoverIfMade); set => CutoverIfMade = value; }

    private LogAppender? AppenderIfMade { get; set; }

    /// <summary>Only while the right to append is held.</summary>
    public LogAppender Appender { get => Made(AppenderIfMade); set => AppenderIfMade = value; }

    public InputPipeline? PipelineIfMade { get; private set; }

    /// <summary>Only while the right to append is held.</summary>
    public InputPipeline Pipeline { get => Made(PipelineIfMade); set => PipelineIfMade = value; }

    /// <summary>Name, identity and epoch, as the log has them now.</summary>
    public PeerSettings ReadIdentity() => new(
        Options.Cluster, Options.InstanceName, Log.InstanceId.ToGuid(), Log.Epoch.Value,
        Options.MaxMessageSize, Options.Heartbeat, Environment.Time, Instance.Logger) { Allowed = Options.AllowPeers };

    private static T Made<T>(T? part)
        where T : class =>
        part ?? throw new UnreachableException($"{typeof(T).Name} is used before the start of the core has made it");
}
