using System.Buffers.Binary;

namespace Ambrosia.LogStore.Format;

/// <summary>
/// Precedes every record, little-endian: 0..4 CRC-32C of 4..64 · 4..8 CRC-32C of the body · 8..12 body size · 12 kind · 13 flags · 14..16
/// zero · 16..24 LSN · 24..32 epoch · 32..40 timestamp (100 ns ticks since 0001-01-01 UTC) · 40..48 durable-through LSN · 48..56 segment
/// number · 56..60 CRC of the previous record's header · 60..64 offset in the segment / 8.
/// </summary>
public readonly record struct RecordHeader(
    uint HeaderCrc, uint BodyCrc, uint BodySize, byte Kind, byte Flags, Lsn Lsn, Epoch Epoch, long Timestamp, Lsn DurableThrough,
    ulong SegmentNumber, uint PreviousCrc, uint OffsetUnits)
{
    /// <summary>Bytes of the encoded header.</summary>
    public const int Size = 64;

    /// <summary>Records begin at multiples of this many bytes.</summary>
    public const int Alignment = 8;

    /// <summary>
    /// Bytes of the largest body: with its header it fits into an array. Readers know no smaller limit. What a writer may write can be
    /// changed from one start to the next, and a durable record of a larger limit would look like one that was never finished.
    /// </summary>
    public const int LargestBody = 0x7FFF_F000;

    /// <summary>Place of the segment number within the header.</summary>
    internal const int SegmentNumberOffset = 48;

    /// <summary>Bytes that the record takes in its segment: header, body, zeros up to the alignment.</summary>
    public long StoredSize => StoredSizeOf(BodySize);

    /// <summary>Bytes that a record with such a body takes.</summary>
    public static long StoredSizeOf(long bodySize) => (Size + bodySize + Alignment - 1) & ~(Alignment - 1L);

    /// <summary>Reads the fields; says nothing about their validity.</summary>
    public static RecordHeader Read(ReadOnlySpan<byte> source) => new(
        BinaryPrimitives.ReadUInt32LittleEndian(source),
        BinaryPrimitives.ReadUInt32LittleEndian(source[4..]),
        BinaryPrimitives.ReadUInt32LittleEndian(source[8..]),
        source[12],
        source[13],
        new Lsn(BinaryPrimitives.ReadUInt64LittleEndian(source[16..])),
        new Epoch(BinaryPrimitives.ReadUInt64LittleEndian(source[24..])),
        BinaryPrimitives.ReadInt64LittleEndian(source[32..]),
        new Lsn(BinaryPrimitives.ReadUInt64LittleEndian(source[40..])),
        BinaryPrimitives.ReadUInt64LittleEndian(source[48..]),
        BinaryPrimitives.ReadUInt32LittleEndian(source[56..]),
        BinaryPrimitives.ReadUInt32LittleEndian(source[60..]));

    /// <summary>Whether these bytes carry their own checksum and zeros where zeros belong.</summary>
    public static bool IsIntact(ReadOnlySpan<byte> source) =>
        BinaryPrimitives.ReadUInt32LittleEndian(source) == Crc32C.Compute(source[4..Size])
        && BinaryPrimitives.ReadUInt16LittleEndian(source[14..]) == 0;

    /// <summary>Writes all fields and the header's checksum, which it returns; <see cref="HeaderCrc"/> is ignored.</summary>
    public uint Write(Span<byte> destination)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(destination[4..], BodyCrc);
        BinaryPrimitives.WriteUInt32LittleEndian(destination[8..], BodySize);
        destination[12] = Kind;
        destination[13] = Flags;
        BinaryPrimitives.WriteUInt16LittleEndian(destination[14..], 0);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[16..], Lsn.Value);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[24..], Epoch.Value);
        BinaryPrimitives.WriteInt64LittleEndian(destination[32..], Timestamp);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[40..], DurableThrough.Value);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[48..], SegmentNumber);
        BinaryPrimitives.WriteUInt32LittleEndian(destination[56..], PreviousCrc);
        BinaryPrimitives.WriteUInt32LittleEndian(destination[60..], OffsetUnits);
        uint crc = Crc32C.Compute(destination[4..Size]);
        BinaryPrimitives.WriteUInt32LittleEndian(destination, crc);
        return crc;
    }
}
