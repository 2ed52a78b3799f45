using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.LogStore.Read;

namespace Ambrosia.Coordinator.Availability;

/// <summary>
/// From a secondary to a primary. A secondary keeps app and buffers where the log is, and does nothing that others could see, until the
/// lock is its own; docs/operate/replicas.md has the rules.
/// </summary>
/// <param name="parts">What the core is made of.</param>
/// <param name="serving">What the primary will have.</param>
/// <param name="publisher">What is shown of it.</param>
/// <param name="leases">The leases of this process.</param>
/// <param name="handover">A planned move to another process.</param>
internal sealed class Promotion(
    CoreParts parts, ServingInstance serving, StatusPublisher publisher, LeaseKeeper leases, Handover handover)
{
    private readonly InstanceContext _instance = parts.Instance;

    /// <summary>Follows the log from a checkpoint that has been read, with an app of its own, until the right to append comes.</summary>
    public async ValueTask StartFollowingAsync(FollowedFrom from, SynchronizationContext context, CancellationToken stop)
    {
        await serving.ListenForAppAsync(stop);
        parts.Roles.Change(ReplicaRole.Secondary);
        CoreLog.Follows(_instance.Logger, _instance.Name, parts.Position.Durable.Value);
        publisher.TellStand(publisher.Age);
        serving.TellListening();
        var follower = new Follower(_instance, parts.Log, parts.Append, from, parts.State, parts.Position)
        {
            Guard = parts.Guard,
            App = parts.AppServer,
            Checkpoints = parts.Checkpoints,
            BackPressure = parts.BackPressure,
            Limits = parts.Environment.Limits,
        };
        var beats = new SecondaryBeats(_instance, parts.Options, parts.Log, parts.Append, leases, parts.Environment.Catalog)
        {
            EndProcess = parts.Environment.EndProcess,
            Beat = publisher.Publish,
        };
        await beats.NoteAsync();
        _instance.Loops.Start(() => FollowAsync(follower, context));
        _instance.Loops.Start(beats.RunAsync);
        _instance.Loops.Start(parts.Checkpoints.Checkpointer.WaitAsync);
        if (parts.Options.TakeOver)
        {
            _instance.Loops.Start(handover.AskWhenReadyAsync);
        }
    }

    private async Task FollowAsync(Follower follower, SynchronizationContext context)
    {
        await using LogReader reader = parts.Log.OpenReader(parts.Position.Durable.Next);
        await follower.RunAsync(reader, parts.Identity.Epoch);
        _instance.Stopping.ThrowIfCancellationRequested();
        await PromoteAsync(follower, reader, context);
    }

    /// <summary>A follower has got the right to append, and becomes the primary (docs/internals/exactly-once.md#promote).</summary>
    private async ValueTask PromoteAsync(Follower follower, LogReader reader, SynchronizationContext context)
    {
        serving.RecoveryBegins();
        CoreLog.Promoted(_instance.Logger, _instance.Name, parts.Position.Durable.Value);
        parts.Roles.Change(ReplicaRole.Recovering);
        await parts.Checkpoints.Checkpointer.GiveBackAsync(giveUp: false);
        await ForeignUpgrades.RequireNoneAsync(parts);
        await serving.BecomeWriterAsync(context);
        await follower.RunToEndAsync(reader, parts.Identity.Epoch);
        parts.AppServer.Identity = parts.Identity;
        parts.Guard.Passive = false;
        await parts.Guard.RestoreAsync();
        serving.MakePipeline(context);
        if (follower.UnloggedUpgrade is { } unlogged)
        {
            await parts.Decisions.LogAsync(unlogged);
        }

        if (follower.UnloggedBuild is { } build)
        {
            await parts.Decisions.LogAsync(build);
        }

        // It may have been told to stop meanwhile: what starts from here on would be stopped by nobody.
        _instance.Stopping.ThrowIfCancellationRequested();
        publisher.LookAfterApp();
        serving.StartOutputs();
        parts.Position.Follows = false;
        parts.AppServer.Session?.EndReplayAt(parts.Position.Durable);
        await serving.StartPeersAsync();
        serving.StartWriterLoops();
        _instance.Loops.Start(handover.WatchAsync);
        parts.Checkpoints.RequestIfLacking();
    }
}
