namespace Ambrosia.Protocol;

/// <summary>
/// How far a receiver has got with one sender: number of the last message (impulses counted), number of the last
/// replayable one (impulses not counted) and the sender's epoch under which it was logged. docs/internals/exactly-once.md H2: without the
/// epoch a sender cannot tell a numbering of its own from one of an earlier life.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct Watermark(ulong Total, ulong Replayable, ulong SenderEpoch)
{
    /// <summary>Nothing received yet.</summary>
    public static Watermark None => default;

    /// <summary>The watermark after <paramref name="count"/> further messages, <paramref name="replayable"/> of them replayable.</summary>
    public Watermark Advance(ulong count, ulong replayable, ulong senderEpoch) =>
        new(checked(Total + count), checked(Replayable + replayable), senderEpoch);

    /// <inheritdoc/>
    public override string ToString() => $"{Total}/{Replayable}@{SenderEpoch}";
}
