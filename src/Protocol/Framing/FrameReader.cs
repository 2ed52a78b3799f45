using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>Cuts whole, checked frames out of a byte stream. Resumable: it consumes nothing until a frame is complete.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class FrameReader
{
    /// <summary>
    /// Takes one frame off the front of <paramref name="buffer"/>. False when more bytes are needed.
    /// A frame is valid if and only if its header is, its size is within the limit, and the checksum covers what follows it.
    /// </summary>
    /// <exception cref="ProtocolException">The frame is not valid.</exception>
    public static bool TryRead(ref ReadOnlySequence<byte> buffer, int maxBodySize, out FrameHeader header, out ReadOnlySequence<byte> body)
    {
        header = default;
        body = default;
        if (buffer.Length < FrameHeader.Size)
        {
            return false;
        }

        Span<byte> head = stackalloc byte[FrameHeader.Size];
        buffer.Slice(0, FrameHeader.Size).CopyTo(head);
        header = FrameHeader.Read(head, maxBodySize);
        if (buffer.Length < FrameHeader.Size + (long)header.BodySize)
        {
            return false;
        }

        body = buffer.Slice(FrameHeader.Size, header.BodySize);
        uint state = Crc32C.Append(Crc32C.Seed, head[4..]);
        foreach (ReadOnlyMemory<byte> segment in body)
        {
            state = Crc32C.Append(state, segment.Span);
        }

        if (Crc32C.Finish(state) != header.Crc)
        {
            throw new ProtocolException($"checksum of a {header.Kind} frame of {header.BodySize} bytes does not match", 0);
        }

        buffer = buffer.Slice(body.End);
        return true;
    }
}
