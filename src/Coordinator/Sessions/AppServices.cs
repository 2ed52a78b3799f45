using System.Buffers;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Poison;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>What a session of an app shares with the core that outlives it.</summary>
internal sealed class AppServices(
    WriteAheadLog log, CoordinatorState state, LogPosition position, OutboundRouter router, ReplayCheck check, AppLimits limits,
    string self, ILogger logger, PoisonGuard guard, IAppObserver observer)
{
    public WriteAheadLog Log => log;

    /// <summary>What the log says of the instance.</summary>
    public CoordinatorState State => state;

    /// <summary>What of the log is durable and may be delivered, and whether this process follows it.</summary>
    public LogPosition Position => position;

    public OutboundRouter Router => router;

    public ReplayCheck Check => check;

    public AppLimits Limits => limits;

    /// <summary>Name of the instance.</summary>
    public string Instance => self;

    public PoisonGuard Guard => guard;

    public ILogger Logger => logger;

    /// <summary>Limits that no option sets.</summary>
    public CoreLimits Sizes { get; init; } = CoreLimits.Product;

    public required LatencyProbe Latency { get; init; }

    /// <summary>What time it is, for apps that ask.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Version to which the state of an app of the published protocol is converted before it acts; "": to none.</summary>
    public string LegacyUpgradeTo { get; init; } = "";

    /// <summary>How long the checkpoint of a clean stop may take; zero for none.</summary>
    public TimeSpan CheckpointOnStop { get; init; }

    // An app that lost its processor for some ten milliseconds finds here what came meanwhile: reading it again from the log costs several times as much.
    public DeliveryCache Cache { get; init; } = new(CoreLimits.Product.CachedRecords, CoreLimits.Product.CachedBytes);

    /// <summary>How fast a secondary writes its checkpoints; null for as fast as it can.</summary>
    public CheckpointPace? Pace { get; set; }

    /// <summary>The checkpoint that this start has read as a whole, for the first app that attaches.</summary>
    public Lsn? Proven { private get; set; }

    /// <summary>
    /// The checkpoint that need not be read as a whole before it is streamed; once. Should it be damaged meanwhile, the app begins again, and
    /// that time it is read.
    /// </summary>
    public Lsn? TakeProven()
    {
        Lsn? proven = Proven;
        Proven = null;
        return proven;
    }

    /// <summary>
    /// Keeps beside the log what its app answers to. It is for people: an instance does not stop because it could not be kept.
    /// </summary>
    public async ValueTask KeepContractAsync(BindingContract contract)
    {
        try
        {
            await log.KeepContractAsync(contract.Text);
        }
        catch (IOException error)
        {
            CoreLog.ContractNotKept(logger, self, error.Message);
        }
    }

    public Task FirstCheckpointTakenAsync()
    {
        position.HasCheckpoint = true;
        return observer.FirstCheckpointTakenAsync();
    }

    public void AppDone(Lsn lsn) => observer.AppDone(lsn);

    public void BecamePrimary() => observer.AppBecamePrimary();

    public void CheckpointTaken(Lsn lsn, long appBytes) => observer.CheckpointTaken(lsn, appBytes);

    public string? CheckpointHindrance(Lsn lsn) => observer.CheckpointHindrance(lsn);

    /// <summary>
    /// Whether this replica takes a checkpoint at its clean stop, when its app has executed more than it has saved.
    /// </summary>
    /// <param name="executed">How far it has executed the log: asked after the store was, because it goes on meanwhile.</param>
    public ValueTask<bool> LeavesCheckpointAsync(Func<Lsn> executed) => observer.LeavesCheckpointAsync(executed);

    public void CheckpointFailed(Lsn lsn, string reason) => observer.CheckpointFailed(lsn, reason);

    public Task LogUpgradeAsync(UpgradeMark mark) => observer.LogUpgradeAsync(mark);

    public ValueTask<bool> BeginUpgradeAsync(UpgradeMark planned) => observer.BeginUpgradeAsync(planned);

    public ValueTask<bool?> BeginBuildAsync() => observer.BeginBuildAsync();

    public ValueTask LogBuildAsync(BuildMark mark) => observer.LogBuildAsync(mark);

    public ValueTask EndUpgradeAsync() => observer.EndUpgradeAsync();

    public void HandlerFaulted(HandlerFault fault) => observer.HandlerFaulted(fault);

    public void Delivered(int messages) => observer.Delivered(messages);
}
