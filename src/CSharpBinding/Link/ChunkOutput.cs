using System.Buffers;
using System.IO.Pipelines;

namespace Ambrosia.Link;

/// <summary>Writes chunks to the transport: a large range as it lies there, small ones gathered first.</summary>
internal static class ChunkOutput
{
    private const int DirectWrite = 16 * 1024;

    /// <summary>Writes a chunk; what is gathered of it leaves with the next flush.</summary>
    /// <exception cref="LinkClosedException">The coordinator is gone.</exception>
    public static async ValueTask WriteAsync(PipeWriter output, OutgoingChunk chunk)
    {
        for (int i = 0; i < chunk.Ranges.Length; i++)
        {
            ReadOnlyMemory<byte> range = chunk[i];
            if (range.Length >= DirectWrite)
            {
                await FlushAsync(output.WriteAsync(range));
            }
            else
            {
                output.Write(range.Span);
            }
        }

        foreach (ReadOnlyMemory<byte> part in chunk.Content?.ToSequence() ?? default)
        {
            await FlushAsync(output.WriteAsync(part));
        }
    }

    /// <summary>Ends as a flush does.</summary>
    /// <exception cref="LinkClosedException">The coordinator is gone.</exception>
    public static async ValueTask FlushAsync(ValueTask<FlushResult> flush)
    {
        FlushResult result = await flush;
        if (result.IsCompleted)
        {
            throw new LinkClosedException("The coordinator has closed the connection.");
        }
    }
}
