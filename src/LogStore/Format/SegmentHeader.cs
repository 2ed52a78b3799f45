using System.Buffers.Binary;

namespace Ambrosia.LogStore.Format;

/// <summary>
/// First 4096 bytes of a segment, little-endian: 0..8 "AMBROLOG" · 8..12 CRC-32C of 12..4096 · 12..16 format version · 16..32 instance id
/// · 32..40 segment number · 40..48 epoch · 48..56 first LSN · 56..64 timestamp of the last record before · 64..68 header CRC of the last
/// record before · 68..72 zero · 72..80 timestamp of creation · 80..96 zero · 96..160 instance name · 160..224 cluster name (UTF-8,
/// zero-padded) · zeros.
/// </summary>
public sealed record SegmentHeader
{
    /// <summary>Bytes of the block; the first record follows it.</summary>
    public const int Size = HeaderBlock.Size;

    private static ReadOnlySpan<byte> Magic => "AMBROLOG"u8;

    /// <summary>Random identity of the log.</summary>
    public required InstanceId InstanceId { get; init; }

    /// <summary>Number of the segment, from 1, never used twice.</summary>
    public required ulong Number { get; init; }

    /// <summary>Epoch of all its records. The newest segment's is the log's epoch: there is no other authority.</summary>
    public required Epoch Epoch { get; init; }

    /// <summary>LSN of its first record; everything before is proven durable by this header.</summary>
    public required Lsn FirstLsn { get; init; }

    /// <summary>Timestamps of its records are not smaller than this one of the last record before.</summary>
    public required long PreviousTimestamp { get; init; }

    /// <summary>Checksum of the last record's header before the segment: the chain that goes through the whole log.</summary>
    public required uint PreviousCrc { get; init; }

    /// <summary>When the segment was made (100 ns ticks since 0001-01-01 UTC).</summary>
    public required long CreatedAt { get; init; }

    /// <summary>The instance whose log it is.</summary>
    public required string Instance { get; init; }

    /// <summary>The cluster it belongs to; may be empty.</summary>
    public required string Cluster { get; init; }

    /// <summary>Encodes the block.</summary>
    public byte[] ToBytes()
    {
        byte[] block = new byte[Size];
        Span<byte> span = block;
        InstanceId.Write(span[16..]);
        BinaryPrimitives.WriteUInt64LittleEndian(span[32..], Number);
        BinaryPrimitives.WriteUInt64LittleEndian(span[40..], Epoch.Value);
        BinaryPrimitives.WriteUInt64LittleEndian(span[48..], FirstLsn.Value);
        BinaryPrimitives.WriteInt64LittleEndian(span[56..], PreviousTimestamp);
        BinaryPrimitives.WriteUInt32LittleEndian(span[64..], PreviousCrc);
        BinaryPrimitives.WriteInt64LittleEndian(span[72..], CreatedAt);
        HeaderBlock.WriteName(span[96..], Instance);
        HeaderBlock.WriteName(span[160..], Cluster);
        HeaderBlock.Finish(span, Magic);
        return block;
    }

    /// <summary>Decodes the block; null when it is damaged. A newer format throws IC-5001.</summary>
    public static SegmentHeader? TryRead(ReadOnlySpan<byte> block, string file) =>
        !HeaderBlock.IsIntact(block, Magic, file) ? null : new SegmentHeader
    {
        InstanceId = InstanceId.Read(block[16..]),
        Number = BinaryPrimitives.ReadUInt64LittleEndian(block[32..]),
        Epoch = new Epoch(BinaryPrimitives.ReadUInt64LittleEndian(block[40..])),
        FirstLsn = new Lsn(BinaryPrimitives.ReadUInt64LittleEndian(block[48..])),
        PreviousTimestamp = BinaryPrimitives.ReadInt64LittleEndian(block[56..]),
        PreviousCrc = BinaryPrimitives.ReadUInt32LittleEndian(block[64..]),
        CreatedAt = BinaryPrimitives.ReadInt64LittleEndian(block[72..]),
        Instance = HeaderBlock.ReadName(block[96..]),
        Cluster = HeaderBlock.ReadName(block[160..]),
    };
}
