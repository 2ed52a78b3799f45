using System.Diagnostics;
using Ambrosia.Coordinator.Availability;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Poison;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Upgrades;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;

namespace Ambrosia.Coordinator;

/// <summary>
/// What a core is made of. Each part is there from its step of the start on: the log, then the right to append (a follower gets it
/// later), then the state that the log is read into. A core may be asked, or told to stop, before any of these steps.
/// </summary>
/// <param name="outside">Where calls from outside enter.</param>
internal sealed class CoreParts(OutsideEntrance outside)
{
    /// <summary>Where calls from outside enter. It is there from the beginning, and refuses until this process admits them.</summary>
    public OutsideEntrance Outside => outside;

    /// <summary>What the app's methods take and return.</summary>
    public AppShapes Shapes { get; } = new();

    public WriteAheadLog? LogIfOpen { get; private set; }

    public WriteAheadLog Log { get => Made(LogIfOpen); set => LogIfOpen = value; }

    public CheckpointScheduler? CheckpointsIfMade { get; private set; }

    /// <summary>Whether, when and by which replica checkpoints are taken.</summary>
    public CheckpointScheduler Checkpoints { get => Made(CheckpointsIfMade); set => CheckpointsIfMade = value; }

    /// <summary>A planned move to another process.</summary>
    public Handover Handover { get => Made(HandoverIfMade); set => HandoverIfMade = value; }

    private Handover? HandoverIfMade { get; set; }

    public LeaseKeeper? LeasesIfMade { get; private set; }

    /// <summary>Acquires and keeps the leases of this process.</summary>
    public LeaseKeeper Leases { get => Made(LeasesIfMade); set => LeasesIfMade = value; }

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

    private static T Made<T>(T? part)
        where T : class =>
        part ?? throw new UnreachableException($"{typeof(T).Name} is used before the start of the core has made it");
}
