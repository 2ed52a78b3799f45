using System.Buffers;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;

namespace Ambrosia.Coordinator.Ingest;

/// <summary>
/// Carries what an instance sends to itself into its own log: same numbers, same rules as for any other input (exactly-once.md H25).
/// An entry stays in the buffer until its record is durable.
/// </summary>
internal sealed class SelfCalls(OutputBuffer buffer, InputState input, InputPipeline pipeline, ulong epoch)
{
    private readonly List<OutputEntry> _batch = [];

    /// <summary>Runs until cancelled. Started once the epoch is durable: the log's own watermark is the answer to rebase on.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        buffer.Rebase(input.Durable);
        ulong next = input.Durable.Total + 1;
        while (!cancellationToken.IsCancellationRequested)
        {
            buffer.TakeBatch(next, _batch);
            if (_batch.Count == 0)
            {
                await buffer.Changed.WaitAsync();
                continue;
            }

            foreach (OutputEntry entry in _batch)
            {
                next += (ulong)await CarryAsync(entry, () => !cancellationToken.IsCancellationRequested);
            }
        }
    }

    private async ValueTask<int> CarryAsync(OutputEntry entry, Func<bool> running)
    {
        // Read before any wait: the entry may lose its front meanwhile only to a record that holds it already.
        int count = entry.Count;
        int skipped = entry.Skipped;
        ReadOnlyMemory<byte> bytes = await entry.Chunk.PinAsync(entry.Offset, entry.Length);
        try
        {
            if (skipped > 0)
            {
                bytes = bytes[MessageRun.OffsetOf(bytes.Span, skipped)..];
            }

            await pipeline.AppendAsync(input, running, new ReadOnlySequence<byte>(bytes), count,
                entry.Impulses ? 0 : count, epoch, own: true);
        }
        finally
        {
            entry.Chunk.Unpin();
        }

        return count;
    }
}
