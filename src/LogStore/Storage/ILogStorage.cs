namespace Ambrosia.LogStore.Storage;

/// <summary>
/// What a backend provides for one instance. Segments are named by number and only ever grow; each append is conditional on the place it
/// goes to and is durable after the sync that follows (a backend whose appends are durable at once has nothing to do in the sync). A
/// created segment, a committed checkpoint and a written manifest are durable, name included, when their call returns. Failures are
/// exceptions; absence is a result.
/// </summary>
public interface ILogStorage : IAsyncDisposable
{
    /// <summary>The instance whose log it is.</summary>
    string Instance { get; }

    /// <summary>Where it lies, for messages.</summary>
    string Location { get; }

    /// <summary>The same for people: memory is no place where they could look.</summary>
    string Place => Location;

    /// <summary>
    /// Whether a segment is exactly as long as what was appended to it: then appends leave no end mark behind themselves, nothing is
    /// written twice, and no space is prepared.
    /// </summary>
    bool HasExactEnds => false;

    /// <summary>
    /// Whether an append and its sync ask nobody but this machine's device: a writer may wait for a small one on its own thread. A service
    /// can take any time.
    /// </summary>
    bool IsNear => false;

    /// <summary>
    /// How long the follower of a log that another process writes pauses at most before it looks again. A look at a service is a request,
    /// and costs more than one at a file.
    /// </summary>
    TimeSpan LongestPause => TimeSpan.FromMilliseconds(8);

    /// <summary>Makes the place if it does not exist, and refuses one that cannot keep promises.</summary>
    ValueTask PrepareAsync();

    /// <summary>The exclusive right to append; null when another holds it and <paramref name="wait"/> is false.</summary>
    ValueTask<ILogLease?> AcquireLeaseAsync(bool wait, CancellationToken cancellationToken);

    /// <summary>
    /// A lock beside the log, by which replicas share out what only one of them may do; null when another holds it and
    /// <paramref name="wait"/> is false. In a service it is a lease like the right to append, can be lost like that, and code that relies
    /// on it has to ask it. The holder of <see cref="NamedLeases.Checkpointer"/> may write checkpoints; those that a predecessor had begun
    /// under it can be committed no more. A store that several processes cannot share has none.
    /// </summary>
    ValueTask<ILogLease?> AcquireNamedLeaseAsync(string name, bool wait, CancellationToken cancellationToken) =>
        throw new NotSupportedException($"{Location} cannot be shared by replicas.");

    /// <summary>
    /// The holder of a lock beside the log at this moment, as in <see cref="ReadHolderAsync"/>; null when nobody does. Nothing is taken to
    /// find out, or only for an instant. A store that has none: nobody.
    /// </summary>
    ValueTask<string?> ReadSideHolderAsync(string name) => new((string?)null);

    /// <summary>
    /// What the last holder of the lease wrote about itself, such as <c>pid 123 started 456789</c>; null when nobody ever held it.
    /// </summary>
    ValueTask<string?> ReadHolderAsync();

    /// <summary>
    /// The last word of <see cref="ILogLease.BeatAsync"/>: the holder as in <see cref="ReadHolderAsync"/>, then a number that changes;
    /// null when there is none.
    /// </summary>
    ValueTask<string?> ReadBeatAsync() => new((string?)null);

    /// <summary>Whether somebody has the right to append at this moment. Nothing is taken to find out, or only for an instant.</summary>
    ValueTask<bool> IsHeldAsync();

    /// <summary>Numbers of all segments, ascending.</summary>
    ValueTask<IReadOnlyList<ulong>> ListSegmentsAsync();

    /// <summary>Opens a segment; null when there is none of this number.</summary>
    ValueTask<IStoredFile?> OpenSegmentAsync(ulong number, bool writable);

    /// <summary>
    /// Makes a segment that begins with this header. Null when the number is taken: somebody else holds the right to append.
    /// </summary>
    ValueTask<IStoredFile?> CreateSegmentAsync(ulong number, ReadOnlyMemory<byte> header);

    /// <summary>Removes a segment, or keeps its space for a later one.</summary>
    ValueTask DeleteSegmentAsync(ulong number);

    /// <summary>Keeps a copy of bytes that are about to be cut from a segment, for people; false when there was no room.</summary>
    ValueTask<bool> KeepTailAsync(ulong number, ReadOnlyMemory<byte> tail);

    /// <summary>Prepares space ahead of need; returns false when nothing more is to be prepared.</summary>
    ValueTask<bool> PrepareSpaceAsync();

    /// <summary>Positions of all committed checkpoints, newest first.</summary>
    ValueTask<IReadOnlyList<Lsn>> ListCheckpointsAsync();

    /// <summary>Begins a checkpoint that nobody sees until it is committed; an interrupted one of the same position is replaced.</summary>
    ValueTask<IStoredFile> CreateCheckpointAsync(Lsn lsn);

    /// <summary>Gives a finished and synced checkpoint its name.</summary>
    ValueTask CommitCheckpointAsync(Lsn lsn);

    /// <summary>Removes a checkpoint that was begun and not committed.</summary>
    ValueTask AbandonCheckpointAsync(Lsn lsn);

    /// <summary>Opens a committed checkpoint; null when there is none.</summary>
    ValueTask<IStoredFile?> OpenCheckpointAsync(Lsn lsn);

    /// <summary>Removes a checkpoint; fine when it is gone already.</summary>
    ValueTask DeleteCheckpointAsync(Lsn lsn);

    /// <summary>Content of one of the two copies of the manifest; null when absent.</summary>
    ValueTask<byte[]?> ReadManifestAsync(int copy);

    /// <summary>Overwrites one of the two copies of the manifest.</summary>
    ValueTask WriteManifestAsync(int copy, ReadOnlyMemory<byte> content);

    /// <summary>
    /// Keeps a contract beside the log, for people: what the app answers to. One that is there already is not written again. Only the
    /// writer may call it.
    /// </summary>
    ValueTask KeepContractAsync(ReadOnlyMemory<byte> text) => default;

    /// <summary>
    /// The contracts that are kept in a service: this instance's, newest first, then those of the store's other instances, whose methods it
    /// calls. A store that is a folder has them in files, which are read by their path: none here.
    /// </summary>
    ValueTask<IReadOnlyList<byte[]>> ReadContractsAsync() => new([]);

    /// <summary>
    /// Removes what interrupted operations left behind, if need be also a checkpoint that another replica is writing: it begins anew. Only
    /// the holder of the lease may call it.
    /// </summary>
    ValueTask RemoveLeftoversAsync();

    /// <summary>Free bytes where the log lies; <see cref="long.MaxValue"/> when the backend has no such limit.</summary>
    ValueTask<long> GetFreeBytesAsync();
}
