using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>What the core learns from the session of an app.</summary>
internal interface IAppObserver
{
    /// <summary>The instance now exists: its first checkpoint is durable.</summary>
    Task FirstCheckpointTakenAsync();

    /// <summary>All turns of this record have ended.</summary>
    void AppDone(Lsn lsn);

    /// <summary>The app has replayed everything and acts from now on.</summary>
    void AppBecamePrimary();

    /// <summary>Why no checkpoint of this record is written now; null if it is.</summary>
    string? CheckpointHindrance(Lsn lsn);

    /// <summary>
    /// Whether this replica takes a checkpoint at its clean stop, when its app has executed more than it has saved.
    /// </summary>
    /// <param name="executed">How far it has executed the log: asked after the store was, because it goes on meanwhile.</param>
    ValueTask<bool> LeavesCheckpointAsync(Func<Lsn> executed);

    /// <summary>A checkpoint is durable.</summary>
    void CheckpointTaken(Lsn lsn, long appBytes);

    /// <summary>A checkpoint could not be written; the log goes on.</summary>
    void CheckpointFailed(Lsn lsn, string reason);

    /// <summary>Logs an upgrade; completes when that is durable.</summary>
    Task LogUpgradeAsync(UpgradeMark mark);

    /// <summary>
    /// Before a new version may commit: says in the log that it is tried, and keeps other replicas from making checkpoints of the old version behind that. Nothing to do for an
    /// instance without replicas.
    /// </summary>
    /// <returns>False if another replica did not step back in time.</returns>
    ValueTask<bool> BeginUpgradeAsync(UpgradeMark planned);

    /// <summary>
    /// Before an app of another build than the last one may act: keeps other replicas from making checkpoints, as for an upgrade. Nothing
    /// to do for an instance without replicas.
    /// </summary>
    /// <returns>
    /// True once only this replica makes checkpoints; false if another did not step back in time; null if there are no others.
    /// </returns>
    ValueTask<bool?> BeginBuildAsync();

    /// <summary>Logs which build executes from here on, if there are replicas; completes when that is durable.</summary>
    ValueTask LogBuildAsync(BuildMark mark);

    /// <summary>The attempt is over: other replicas may make checkpoints again.</summary>
    ValueTask EndUpgradeAsync();

    /// <summary>A handler threw, and nobody waits for it.</summary>
    void HandlerFaulted(HandlerFault fault);

    /// <summary>A record was written to the app.</summary>
    void Delivered(int messages);
}
