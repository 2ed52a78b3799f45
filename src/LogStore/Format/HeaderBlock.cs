using System.Buffers.Binary;
using System.Text;

namespace Ambrosia.LogStore.Format;

/// <summary>
/// What the first 4096 bytes of segments and checkpoints share: 0..8 magic · 8..12 CRC-32C of 12..4096 · 12..16 format version. These 16
/// bytes never change their place, so that any build can tell damage from a newer format.
/// </summary>
internal static class HeaderBlock
{
    public const int Size = 4096;
    private const int NameSize = 64;

    /// <summary>Sets magic, version and, last, the checksum over everything already written.</summary>
    public static void Finish(Span<byte> block, ReadOnlySpan<byte> magic)
    {
        magic.CopyTo(block);
        BinaryPrimitives.WriteUInt32LittleEndian(block[12..], FormatVersion.Current);
        BinaryPrimitives.WriteUInt32LittleEndian(block[8..], Crc32C.Compute(block[12..Size]));
    }

    /// <summary>False when the block is damaged; throws when it is intact but of a newer format.</summary>
    public static bool IsIntact(ReadOnlySpan<byte> block, ReadOnlySpan<byte> magic, string file)
    {
        if (block.Length < Size || !block.StartsWith(magic)
            || BinaryPrimitives.ReadUInt32LittleEndian(block[8..]) != Crc32C.Compute(block[12..Size]))
        {
            return false;
        }

        FormatVersion.Require(BinaryPrimitives.ReadUInt32LittleEndian(block[12..]), file);
        return true;
    }

    public static void WriteName(Span<byte> destination, string name)
    {
        destination[..NameSize].Clear();
        Encoding.UTF8.GetBytes(name, destination[..NameSize]);
    }

    public static string ReadName(ReadOnlySpan<byte> source)
    {
        ReadOnlySpan<byte> name = source[..NameSize];
        int end = name.IndexOf((byte)0);
        return Encoding.UTF8.GetString(end < 0 ? name : name[..end]);
    }
}
