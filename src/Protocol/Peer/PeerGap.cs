using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// Body of a Gap frame: varint number of the first message that will never come · varint replayable number before which it starts
/// plus one · varint messages, all of them replayable. The first two must follow what the receiver has accepted, as those of a batch must
/// (docs/internals/exactly-once.md H12, H26).
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct PeerGap(ulong FirstTotal, ulong FirstReplayable, ulong Count)
{
    /// <summary>Writes the body.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteVarint(FirstTotal);
        writer.WriteVarint(FirstReplayable);
        writer.WriteVarint(Count);
    }

    /// <summary>Reads a body; valid if and only if it is no gap of nothing and nothing follows.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static PeerGap Read(ReadOnlySpan<byte> body)
    {
        var reader = new ByteReader(body);
        var gap = new PeerGap(
            reader.ReadVarint("gap first total"), reader.ReadVarint("gap first replayable"), reader.ReadVarint("gap count"));
        reader.ExpectEnd("gap");
        return gap.Count > 0 ? gap : throw new ProtocolException("a gap of no messages", 0);
    }
}
