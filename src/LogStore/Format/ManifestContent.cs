using System.Buffers.Binary;
using Ambrosia.LogStore.Format;

namespace Ambrosia.LogStore.Format;

/// <summary>
/// The manifest, little-endian: 0..8 "AMBROMAN" · 8..12 CRC-32C of everything from 12 · 12..16 format version · 16..32 instance id ·
/// 32..40 generation · 40..48 newest segment when it was written · 48..56 epoch · 56..60 number of checkpoints · 60..64 zero · then per
/// checkpoint, newest first, 24 bytes: LSN, epoch, stored bytes.
/// </summary>
internal sealed record ManifestContent(InstanceId InstanceId, ulong Generation, ulong NewestSegment, Epoch Epoch,
    IReadOnlyList<ManifestEntry> Checkpoints)
{
    private const int HeaderSize = 64;
    private const int EntrySize = 24;

    private static ReadOnlySpan<byte> Magic => "AMBROMAN"u8;

    public byte[] ToBytes()
    {
        byte[] bytes = new byte[HeaderSize + EntrySize * Checkpoints.Count];
        Span<byte> span = bytes;
        Magic.CopyTo(span);
        BinaryPrimitives.WriteUInt32LittleEndian(span[12..], FormatVersion.Current);
        InstanceId.Write(span[16..]);
        BinaryPrimitives.WriteUInt64LittleEndian(span[32..], Generation);
        BinaryPrimitives.WriteUInt64LittleEndian(span[40..], NewestSegment);
        BinaryPrimitives.WriteUInt64LittleEndian(span[48..], Epoch.Value);
        BinaryPrimitives.WriteInt32LittleEndian(span[56..], Checkpoints.Count);
        for (int i = 0; i < Checkpoints.Count; i++)
        {
            Span<byte> entry = span[(HeaderSize + i * EntrySize)..];
            BinaryPrimitives.WriteUInt64LittleEndian(entry, Checkpoints[i].Lsn.Value);
            BinaryPrimitives.WriteUInt64LittleEndian(entry[8..], Checkpoints[i].Epoch.Value);
            BinaryPrimitives.WriteInt64LittleEndian(entry[16..], Checkpoints[i].StoredBytes);
        }

        BinaryPrimitives.WriteUInt32LittleEndian(span[8..], Crc32C.Compute(span[12..]));
        return bytes;
    }

    /// <summary>Null when the bytes are damaged; a newer format throws IC-5001.</summary>
    public static ManifestContent? TryRead(ReadOnlySpan<byte> bytes, string file)
    {
        if (bytes.Length < HeaderSize || !bytes.StartsWith(Magic)
            || BinaryPrimitives.ReadUInt32LittleEndian(bytes[8..]) != Crc32C.Compute(bytes[12..]))
        {
            return null;
        }

        FormatVersion.Require(BinaryPrimitives.ReadUInt32LittleEndian(bytes[12..]), file);
        int count = BinaryPrimitives.ReadInt32LittleEndian(bytes[56..]);
        if (count < 0 || bytes.Length != HeaderSize + (long)EntrySize * count)
        {
            return null;
        }

        var checkpoints = new ManifestEntry[count];
        for (int i = 0; i < count; i++)
        {
            ReadOnlySpan<byte> entry = bytes[(HeaderSize + i * EntrySize)..];
            checkpoints[i] = new ManifestEntry(new Lsn(BinaryPrimitives.ReadUInt64LittleEndian(entry)),
                new Epoch(BinaryPrimitives.ReadUInt64LittleEndian(entry[8..])), BinaryPrimitives.ReadInt64LittleEndian(entry[16..]));
        }

        return new ManifestContent(InstanceId.Read(bytes[16..]), BinaryPrimitives.ReadUInt64LittleEndian(bytes[32..]),
            BinaryPrimitives.ReadUInt64LittleEndian(bytes[40..]),
            new Epoch(BinaryPrimitives.ReadUInt64LittleEndian(bytes[48..])), checkpoints);
    }
}
