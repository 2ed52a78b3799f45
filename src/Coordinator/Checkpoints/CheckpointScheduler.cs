using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Storage;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Checkpoints;

/// <summary>
/// Decides whether, when and by which replica a checkpoint is taken, and tells those that wait for one. The session of the app takes it.
/// replicas.md and quarantine.md have the rules.
/// </summary>
/// <param name="settings">What the instance is told.</param>
/// <param name="log">The log.</param>
/// <param name="position">Whether this process follows, and how far.</param>
/// <param name="loops">The loops of the instance.</param>
/// <param name="logger">Receives events.</param>
internal sealed class CheckpointScheduler(
    InstanceSettings settings, WriteAheadLog log, LogPosition position, CoreLoops loops, ILogger logger)
{
    private const int MostAwaited = 3;
    private readonly OpenDecisions _decisions = new();
    private readonly List<TaskCompletionSource<ulong>> _waiting = []; // The app was not asked since they came.
    private readonly List<(Lsn At, TaskCompletionSource<ulong> Taken)> _underWay = [];
    private CheckpointPace? _pace;
    private Lsn? _verified;
    private int _awaited;
    private bool _isAsked;
    private bool _isUnderWay;

    /// <summary>By which replica, as far as this one is concerned.</summary>
    public required CheckpointerLease Checkpointer { get; init; }

    /// <summary>Asks the app that is attached, if there is one, after the record that it is at.</summary>
    public required Action Ask { get; init; }

    /// <summary>Asks it because enough has been logged.</summary>
    public required Action AskWhenDue { get; init; }

    /// <summary>How fast a checkpoint is written now; null for as fast as possible.</summary>
    public CheckpointPace? Pace => position.Follows ? _pace : null;

    /// <summary>At the clean stop no checkpoint is left: the app of the successor has executed everything.</summary>
    public bool IsLeftToSuccessor { get; set; }

    /// <summary>Record of the newest checkpoint that was begun with, taken or adopted; 0 for none.</summary>
    public Lsn Newest { get; private set; }

    /// <summary>Bytes of the newest checkpoint.</summary>
    public long NewestBytes { get; private set; }

    /// <summary>Checkpoints of its app that this life has made durable.</summary>
    public long Taken { get; private set; }

    /// <summary>Bytes of log since the last checkpoint.</summary>
    public long BytesSince { get; private set; }

    private bool IsReplica => settings.ReplicaId is not null;

    /// <summary>One is asked for; it is taken after the record that the app is at.</summary>
    public void Request()
    {
        _isAsked = true;
        Ask();
    }

    /// <summary>One is asked for, and its record waited for.</summary>
    public void Request(TaskCompletionSource<ulong> taken)
    {
        _waiting.Add(taken);
        Request();
    }

    /// <summary>An app has attached: it is asked for what its predecessor owes.</summary>
    public void AppAttached()
    {
        _waiting.InsertRange(0, _underWay.Select(static waiter => waiter.Taken));
        _underWay.Clear();
        (_isAsked, _isUnderWay) = (_isAsked || _isUnderWay, false);
        if (_isAsked)
        {
            Ask();
        }
    }

    /// <summary>An app is just being asked for one after this record, for all who want one by now: not for those who come later.</summary>
    public void WasAsked(Lsn at)
    {
        _underWay.AddRange(_waiting.Select(waiter => (at, waiter)));
        _waiting.Clear();
        (_isAsked, _isUnderWay) = (false, true);
    }

    /// <summary>One that retention counted on is damaged or gone: another one is due now.</summary>
    public void RequestIfLacking()
    {
        if (log.LacksCheckpoint)
        {
            Request(); // The checkpointer knows nothing of it, and would make the next one when it is due.
        }
    }

    /// <summary>How fast this replica writes checkpoints while it follows; null for as fast as possible.</summary>
    public void Paced(CheckpointPace? pace) => _pace = pace;

    /// <summary>A start has read this checkpoint as a whole, and begins with it.</summary>
    /// <param name="verified">Its record.</param>
    /// <param name="appBytes">Bytes of the app's state in it.</param>
    public void BeginsWith(Lsn verified, long appBytes) => (_verified, Newest, NewestBytes) = (verified, verified, appBytes);

    /// <summary>
    /// A recovery has read the log after its checkpoint. Those bytes count, else an instance that crashes often would never be asked for a
    /// checkpoint, and its log would grow without end.
    /// </summary>
    /// <param name="bytes">Bytes of log after the checkpoint.</param>
    /// <param name="upgraded">
    /// Whether the checkpoint of an upgrade was lost: another one spares replicas the way through the upgrade.
    /// </param>
    public void Recovered(long bytes, bool upgraded)
    {
        BytesSince += bytes;
        _isAsked |= IsReplica && upgraded;
    }

    /// <summary>
    /// The checkpoint that need not be read as a whole before it is streamed; once. Should it be damaged meanwhile, the app begins again,
    /// and that time it is read.
    /// </summary>
    public Lsn? TakeVerified()
    {
        Lsn? verified = _verified;
        _verified = null;
        return verified;
    }

    /// <summary>A record of this process is durable.</summary>
    public void Logged(int bytes)
    {
        BytesSince += bytes;
        if (BytesSince >= settings.CheckpointEvery)
        {
            BytesSince = 0;
            if (IsReplica)
            {
                loops.Start(AwaitReplicaAsync);
            }
            else
            {
                BecomeDue();
            }
        }
    }

    /// <summary>A secondary has read what a record says of messages that are being decided about.</summary>
    public void FollowedDecisions(ulong epoch, IEnumerable<QuarantineStep> marks) => _decisions.Followed(epoch, marks);

    /// <summary>A secondary has applied a record.</summary>
    public void Followed(Lsn lsn, int bytes)
    {
        BytesSince += bytes;
        if (BytesSince >= settings.CheckpointEvery && HindranceOf(lsn) is null)
        {
            BytesSince = 0;
            BecomeDue();
        }
    }

    /// <summary>
    /// Why no checkpoint of this record is written now; null if it is. Of the replicas that follow, only the checkpointer takes
    /// checkpoints. It postpones one while a decision is pending about a message that the checkpoint contains.
    /// </summary>
    public string? HindranceOf(Lsn checkpoint) =>
        !position.Follows ? null
        : !Checkpointer.TakesCheckpoints ? "another replica makes the checkpoints, or the primary keeps back the one that does"
        : _decisions.Bar(checkpoint) ? "whether a message that it holds is quarantined is being decided"
        : null;

    /// <summary>
    /// Whether this replica takes a checkpoint at its clean stop, when its app has executed more than it has saved. A checkpointer leaves
    /// one unless something hinders it. A primary leaves its own: to wait for another replica's would take longer, and that one may be
    /// dead, stand still, or run another build, which makes none.
    /// </summary>
    /// <param name="executed">How far it has executed the log: asked after the store was, because it goes on meanwhile.</param>
    public async ValueTask<bool> LeavesOneAsync(Func<Lsn> executed) =>
        position.Follows ? HindranceOf(position.Durable) is null
        : !IsReplica || (!IsLeftToSuccessor && !await IsSavedByAnotherAsync(executed));

    /// <summary>A checkpoint of the app is durable.</summary>
    public void BecameDurable(Lsn lsn, long appBytes)
    {
        (Newest, NewestBytes) = (lsn, appBytes);
        Taken++;
        Answered(lsn).ForEach(waiter => waiter.TrySetResult(lsn.Value));
        CoreLog.CheckpointTaken(logger, lsn.Value, appBytes);
    }

    /// <summary>
    /// A checkpoint could not be written; the log goes on. It is asked for again when as much was logged as between any two.
    /// </summary>
    public void Failed(Lsn lsn, string reason)
    {
        BytesSince = 0;
        Answered(lsn).ForEach(waiter => waiter.TrySetException(new InvalidOperationException(reason)));
        CoreLog.CheckpointFailed(logger, lsn.Value, reason);
    }

    /// <summary>The primary counts on a checkpoint that another replica has made.</summary>
    public void Adopted(ManifestEntry entry)
    {
        _awaited = 0;
        BytesSince = 0;
        (Newest, NewestBytes) = (entry.Lsn, entry.StoredBytes);
    }

    private void BecomeDue()
    {
        _isAsked = true;
        AskWhenDue();
    }

    /// <summary>Due for a primary: the checkpointer takes it by itself, unless there is none, or none comes for long.</summary>
    private async Task AwaitReplicaAsync()
    {
        await using ILogLease? free = await log.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: false, CancellationToken.None);
        if (free is not null || ++_awaited > MostAwaited)
        {
            _awaited = 0;
            Request();
        }
    }

    private async ValueTask<bool> IsSavedByAnotherAsync(Func<Lsn> executed)
    {
        try
        {
            IReadOnlyList<Lsn> named = await log.ListCheckpointsAsync(); // What has its name was read back.
            Lsn now = executed(); // More may have been delivered meanwhile.
            return named.Any(lsn => lsn >= now);
        }
        catch (Exception error) when (error is FileFailedException or LogStoreException)
        {
            return false; // One more does no harm; a store that really fails says so when that is written.
        }
    }

    // Those who wanted one after this record, or an earlier one.
    private List<TaskCompletionSource<ulong>> Answered(Lsn lsn)
    {
        List<TaskCompletionSource<ulong>> answered =
            [.. _underWay.Where(waiter => waiter.At <= lsn).Select(static waiter => waiter.Taken)];
        _underWay.RemoveAll(waiter => waiter.At <= lsn);
        _isUnderWay = false;
        return answered;
    }
}
