using System.Buffers.Binary;
using Ambrosia.LogStore.Format;

namespace Ambrosia.LogStore.Checkpoints;

/// <summary>
/// After a checkpoint's header, little-endian. Block: 0..4 CRC-32C of 4..end · 4..8 data size (at least 1) · 8..16 block number from 0 ·
/// data. Footer, 64 bytes: 0..4 CRC-32C of 4..64 · 4..8 FF FF FF FF · 8..16 number of blocks · 16..24 bytes of data · 24..32 LSN · 32..36
/// CRC-32C over the blocks' checksums · zeros. The file ends there.
/// </summary>
internal static class CheckpointFormat
{
    public const int BlockHeaderSize = 16;
    public const int FooterSize = 64;
    public const uint FooterMark = uint.MaxValue;
    public const int MaxBlockSize = 16 << 20;

    /// <summary>Completes a block whose data lies behind the header's room; returns its checksum.</summary>
    public static uint FinishBlock(Span<byte> block, ulong number)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(block[4..], (uint)(block.Length - BlockHeaderSize));
        BinaryPrimitives.WriteUInt64LittleEndian(block[8..], number);
        uint crc = Crc32C.Compute(block[4..]);
        BinaryPrimitives.WriteUInt32LittleEndian(block, crc);
        return crc;
    }

    /// <summary>Adds a block's checksum to that of all blocks.</summary>
    public static uint Chain(uint chain, uint blockCrc)
    {
        Span<byte> bytes = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32LittleEndian(bytes, blockCrc);
        return Crc32C.Continue(chain, bytes);
    }

    public static byte[] Footer(ulong blocks, long dataBytes, Lsn lsn, uint chain)
    {
        byte[] footer = new byte[FooterSize];
        Span<byte> span = footer;
        BinaryPrimitives.WriteUInt32LittleEndian(span[4..], FooterMark);
        BinaryPrimitives.WriteUInt64LittleEndian(span[8..], blocks);
        BinaryPrimitives.WriteInt64LittleEndian(span[16..], dataBytes);
        BinaryPrimitives.WriteUInt64LittleEndian(span[24..], lsn.Value);
        BinaryPrimitives.WriteUInt32LittleEndian(span[32..], chain);
        BinaryPrimitives.WriteUInt32LittleEndian(span, Crc32C.Compute(span[4..]));
        return footer;
    }
}
