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
    string self, ILogger logger, PoisonGuard guard)
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

    /// <summary>Whether and when a checkpoint is taken.</summary>
    public required CheckpointScheduler Checkpoints { get; init; }

    /// <summary>Where upgrades and builds are logged.</summary>
    public required DecisionLog Decisions { get; init; }

    /// <summary>Keeps other replicas from making checkpoints; null when there are none.</summary>
    public CheckpointBarrier? Barrier { private get; init; }

    public required CoreCounters Counters { private get; init; }

    /// <summary>The instance now exists: its first checkpoint is durable.</summary>
    public Func<Task> FirstCheckpointTaken { private get; init; } = static () => Task.CompletedTask;

    /// <summary>All turns of a record have ended.</summary>
    public Action<Lsn> Done { get; init; } = static _ => { };

    /// <summary>The app has replayed everything and acts from now on.</summary>
    public Action BecamePrimary { get; init; } = static () => { };

    public required LatencyProbe Latency { get; init; }

    /// <summary>What the app's methods take and return.</summary>
    public AppShapes Shapes { get; init; } = new();

    /// <summary>Sees which records are delivered; null: nobody does.</summary>
    public IMessageTracer? Tracer { get; init; }

    /// <summary>What time it is, for apps that ask.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>How long the checkpoint of a clean stop may take; zero for none.</summary>
    public TimeSpan CheckpointOnStop { get; init; }

    // An app that lost its processor for some ten milliseconds finds here what came meanwhile: reading it again from the log costs several
    // times as much.
    public DeliveryCache Cache { get; init; } = new(CoreLimits.Product.CachedRecords, CoreLimits.Product.CachedBytes);

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
        return FirstCheckpointTaken();
    }

    /// <inheritdoc cref="CheckpointBarrier.BeginUpgradeAsync"/>
    public ValueTask<bool> BeginUpgradeAsync(VersionChange planned) => Barrier?.BeginUpgradeAsync(planned) ?? new(true);

    /// <summary>Before an app of another build than the last one may act: keeps other replicas from making checkpoints.</summary>
    /// <returns>
    /// True once only this replica makes checkpoints; false if another did not step back in time; null if there are no others.
    /// </returns>
    public async ValueTask<bool?> BeginBuildAsync() =>
        Barrier is null ? null : await Barrier.BeginUpgradeAsync(new VersionChange(Lsn.None, "", ""));

    /// <inheritdoc cref="CheckpointBarrier.AbandonUpgrade"/>
    public void AbandonUpgrade() => Barrier?.AbandonUpgrade();

    /// <inheritdoc cref="CheckpointBarrier.EndUpgradeAsync"/>
    public ValueTask EndUpgradeAsync() => Barrier?.EndUpgradeAsync() ?? default;

    /// <inheritdoc cref="CheckpointBarrier.LeaveAsync"/>
    public ValueTask LeaveUpgradesAsync() => Barrier?.LeaveAsync() ?? default;

    /// <summary>A handler threw, and nobody waits for it.</summary>
    public void HandlerFaulted(HandlerFault fault)
    {
        Counters.HandlerFaults++;
        CoreLog.HandlerFaulted(logger, fault.Lsn, fault.Index, fault.MethodId, fault.Text);
    }

    /// <summary>A record was written to the app.</summary>
    public void Delivered(int messages) => Counters.MessagesDelivered += messages;
}
