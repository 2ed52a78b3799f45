using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Outside;

/// <summary>Where awakeables are completed: what an address for HTTP knows of the coordinator. It may be used from any thread.</summary>
public interface IAwakeableEntrance
{
    /// <summary>
    /// Whether this instance has named such an awakeable: <see cref="OutsideReplyKind.Unknown"/> if not,
    /// <see cref="OutsideReplyKind.Unavailable"/> if this process does not serve, or its log does not say yet by what they are named; null
    /// if it has. Whether it is open says only the app.
    /// </summary>
    /// <param name="id">Names it.</param>
    OutsideReplyKind? RefusalOf(in AwakeableId id);

    /// <summary>
    /// Brings a completion into the log, once for what it says, and waits for what the app says of it. A repeat waits for, or is given, the
    /// same. The token ends the waiting, as of <see cref="IOutsideEntrance.CallAsync"/>.
    /// </summary>
    /// <param name="id">Names the awakeable. A caller that has not asked <see cref="RefusalOf"/> is told here.</param>
    /// <param name="form">How it is completed.</param>
    /// <param name="body">The value as MessagePack, or why it is rejected.</param>
    /// <param name="sent">The first 8 bytes of a SHA-256 of the form and of what was sent: repeats have the same.</param>
    /// <param name="stop">Ends the waiting.</param>
    /// <exception cref="ArgumentException">It is larger than a message may be.</exception>
    Task<OutsideReply> CompleteAsync(AwakeableId id, AwakeableForm form, ReadOnlyMemory<byte> body, ulong sent, CancellationToken stop);

    /// <summary>Looks for a completion that says the same, and waits for what the app says of it. It brings nothing into the log.</summary>
    /// <param name="id">Names the awakeable.</param>
    /// <param name="sent">As of <see cref="CompleteAsync"/>.</param>
    /// <param name="stop">Ends the waiting.</param>
    Task<OutsideReply> LookAsync(AwakeableId id, ulong sent, CancellationToken stop);
}
