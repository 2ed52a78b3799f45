using System.Buffers.Binary;

namespace Ambrosia.LogStore.Format;

/// <summary>
/// First 4096 bytes of a checkpoint, little-endian: 0..8 "AMBROCKP" · 8..12 CRC-32C of 12..4096 · 12..16 format version · 16..32 instance
/// id · 32..40 LSN · 40..48 epoch · 48..56 timestamp of creation · 56..96 zero · 96..160 instance name · 160..224 cluster name · zeros.
/// </summary>
public sealed record CheckpointHeader
{
    /// <summary>Bytes of the block; the first data block follows it.</summary>
    public const int Size = HeaderBlock.Size;

    private static ReadOnlySpan<byte> Magic => "AMBROCKP"u8;

    /// <summary>Identity of the log it was taken of.</summary>
    public required InstanceId InstanceId { get; init; }

    /// <summary>The state is that after this record; replay begins at the next.</summary>
    public required Lsn Lsn { get; init; }

    /// <summary>Epoch under which it was taken.</summary>
    public required Epoch Epoch { get; init; }

    /// <summary>When it was begun (100 ns ticks since 0001-01-01 UTC).</summary>
    public required long CreatedAt { get; init; }

    /// <summary>The instance it belongs to.</summary>
    public required string Instance { get; init; }

    /// <summary>The cluster it belongs to; may be empty.</summary>
    public required string Cluster { get; init; }

    /// <summary>Encodes the block.</summary>
    public byte[] ToBytes()
    {
        byte[] block = new byte[Size];
        Span<byte> span = block;
        InstanceId.Write(span[16..]);
        BinaryPrimitives.WriteUInt64LittleEndian(span[32..], Lsn.Value);
        BinaryPrimitives.WriteUInt64LittleEndian(span[40..], Epoch.Value);
        BinaryPrimitives.WriteInt64LittleEndian(span[48..], CreatedAt);
        HeaderBlock.WriteName(span[96..], Instance);
        HeaderBlock.WriteName(span[160..], Cluster);
        HeaderBlock.Finish(span, Magic);
        return block;
    }

    /// <summary>Decodes the block; null when it is damaged. A newer format throws IC-5001.</summary>
    public static CheckpointHeader? TryRead(ReadOnlySpan<byte> block, string file) =>
        !HeaderBlock.IsIntact(block, Magic, file) ? null : new CheckpointHeader
    {
        InstanceId = InstanceId.Read(block[16..]),
        Lsn = new Lsn(BinaryPrimitives.ReadUInt64LittleEndian(block[32..])),
        Epoch = new Epoch(BinaryPrimitives.ReadUInt64LittleEndian(block[40..])),
        CreatedAt = BinaryPrimitives.ReadInt64LittleEndian(block[48..]),
        Instance = HeaderBlock.ReadName(block[96..]),
        Cluster = HeaderBlock.ReadName(block[160..]),
    };
}
