using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Links;

/// <summary>Writes whole frames. One writer per connection; frames are flushed as they are written.</summary>
internal static class FrameSender
{
    /// <summary>Writes a small frame; false if the other side has gone.</summary>
    public static async ValueTask<bool> SendAsync(PipeWriter output, FrameKind kind, ReadOnlyMemory<byte> body)
    {
        Compose(output, kind, body.Span);
        FlushResult flushed = await output.FlushAsync();
        return !flushed.IsCompleted;
    }

    /// <summary>Puts a frame into the pipe without flushing.</summary>
    public static void Compose(PipeWriter output, FrameKind kind, ReadOnlySpan<byte> body)
    {
        Span<byte> frame = output.GetSpan(FrameHeader.Size + body.Length);
        body.CopyTo(frame[FrameHeader.Size..]);
        FrameHeader.Write(frame, kind, body);
        output.Advance(FrameHeader.Size + body.Length);
    }

    /// <summary>Reads one small frame; null at the end of the stream.</summary>
    /// <exception cref="ProtocolException">The bytes are not a frame within the limit for small ones.</exception>
    public static async ValueTask<(FrameKind Kind, byte[] Body)?> ReadSmallAsync(PipeReader input, CancellationToken cancellationToken)
    {
        while (true)
        {
            ReadResult result = await input.ReadAsync(cancellationToken);
            ReadOnlySequence<byte> buffer = result.Buffer;
            if (FrameReader.TryRead(ref buffer, FrameLimits.SmallBody, out FrameHeader header, out ReadOnlySequence<byte> body))
            {
                byte[] copy = body.ToArray();
                input.AdvanceTo(buffer.Start);
                return (header.Kind, copy);
            }

            input.AdvanceTo(buffer.Start, buffer.End);
            if (result.IsCompleted)
            {
                return null;
            }
        }
    }
}
