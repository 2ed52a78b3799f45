using System.Buffers;
using System.Buffers.Binary;

namespace Ambrosia.Protocol;

/// <summary>
/// Precedes every frame between coordinators, little-endian:
/// 0..4 CRC-32C of all that follows · 4..8 body size · 8 kind · 9 flags · 10..16 zero.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct FrameHeader(uint Crc, int BodySize, FrameKind Kind, byte Flags)
{
    /// <summary>Size of the header, in bytes.</summary>
    public const int Size = 16;

    /// <summary>Reads a header, checking everything that can be checked without the body.</summary>
    /// <exception cref="ProtocolException">The size exceeds the limit, the kind is unknown, or reserved bytes are not zero.</exception>
    public static FrameHeader Read(ReadOnlySpan<byte> source, int maxBodySize)
    {
        uint size = BinaryPrimitives.ReadUInt32LittleEndian(source[4..]);
        if (size > (uint)maxBodySize)
        {
            throw new ProtocolException($"frame of {size} bytes exceeds the limit {maxBodySize}", 4);
        }

        var kind = (FrameKind)source[8];
        if (kind is < FrameKind.Hello or > FrameKind.Gap)
        {
            throw new ProtocolException($"unknown frame kind {source[8]}", 8);
        }

        if (source[9] != 0 || BinaryPrimitives.ReadUInt32LittleEndian(source[10..]) != 0
            || BinaryPrimitives.ReadUInt16LittleEndian(source[14..]) != 0)
        {
            throw new ProtocolException("reserved bytes of the frame header are not zero", 9);
        }

        return new FrameHeader(BinaryPrimitives.ReadUInt32LittleEndian(source), (int)size, kind, source[9]);
    }

    /// <summary>Checksum of the end of the body alone, once the frame has been checked: only what stands before the end is read.</summary>
    /// <param name="front">The body without its end.</param>
    /// <param name="restLength">Bytes of the end.</param>
    public uint ChecksumBehind(in ReadOnlySequence<byte> front, int restLength)
    {
        Span<byte> head = stackalloc byte[Size];
        WriteWithoutCrc(head, Kind, BodySize);
        uint state = Crc32C.Append(Crc32C.Seed, head[4..]);
        foreach (ReadOnlyMemory<byte> segment in front)
        {
            state = Crc32C.Append(state, segment.Span);
        }

        return Crc32C.Rest(Crc, Crc32C.Finish(state), restLength);
    }

    /// <summary>Writes the header in front of a body that is already in place, checksum included.</summary>
    public static void Write(Span<byte> destination, FrameKind kind, ReadOnlySpan<byte> body)
    {
        WriteWithoutCrc(destination, kind, body.Length);
        uint state = Crc32C.Append(Crc32C.Seed, destination[4..Size]);
        Seal(destination, Crc32C.Append(state, body));
    }

    /// <summary>
    /// Writes all but the checksum; for bodies that lie in several places. Fold bytes 4..16 and the body, then <see cref="Seal"/>.
    /// </summary>
    public static void WriteWithoutCrc(Span<byte> destination, FrameKind kind, int bodySize)
    {
        destination[..Size].Clear();
        BinaryPrimitives.WriteInt32LittleEndian(destination[4..], bodySize);
        destination[8] = (byte)kind;
    }

    /// <summary>Puts the checksum in from the folded state.</summary>
    public static void Seal(Span<byte> destination, uint crcState) =>
        BinaryPrimitives.WriteUInt32LittleEndian(destination, Crc32C.Finish(crcState));
}
