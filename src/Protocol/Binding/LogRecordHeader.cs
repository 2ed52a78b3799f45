using System.Buffers.Binary;

namespace Ambrosia.Protocol;

/// <summary>
/// AMBROSIA's published client protocol: precedes everything a coordinator sends on the legacy port pair, little-endian:
/// 0..4 committer id · 4..8 record size with this header · 8..16 check bytes · 16..24 record id
/// (-1: the coordinator's own message, -2: a checkpoint).
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct LogRecordHeader(int CommitterId, int RecordSize, long Check, long RecordId)
{
    /// <summary>Size of the header, in bytes.</summary>
    public const int Size = 24;

    /// <summary>Record id of a message that is not from the log.</summary>
    public const long OwnMessage = -1;

    /// <summary>Record id of a checkpoint.</summary>
    public const long CheckpointRecord = -2;

    /// <summary>Writes the header.</summary>
    public void Write(Span<byte> destination)
    {
        BinaryPrimitives.WriteInt32LittleEndian(destination, CommitterId);
        BinaryPrimitives.WriteInt32LittleEndian(destination[4..], RecordSize);
        BinaryPrimitives.WriteInt64LittleEndian(destination[8..], Check);
        BinaryPrimitives.WriteInt64LittleEndian(destination[16..], RecordId);
    }

    /// <summary>Reads a header.</summary>
    /// <exception cref="ProtocolException">The record is smaller than its header.</exception>
    public static LogRecordHeader Read(ReadOnlySpan<byte> source)
    {
        var header = new LogRecordHeader(
            BinaryPrimitives.ReadInt32LittleEndian(source),
            BinaryPrimitives.ReadInt32LittleEndian(source[4..]),
            BinaryPrimitives.ReadInt64LittleEndian(source[8..]),
            BinaryPrimitives.ReadInt64LittleEndian(source[16..]));
        return header.RecordSize >= Size ? header : throw new ProtocolException($"record size {header.RecordSize} is below its header", 4);
    }
}
