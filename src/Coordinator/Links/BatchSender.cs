using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Links;

/// <summary>Writes runs of messages as one batch frame, without opening them.</summary>
internal sealed class BatchSender
{
    private const int WrittenDirectly = 32 * 1024; // From here on another system call costs less than a copy into the pipe.
    private readonly byte[] _prefix = new byte[FrameHeader.Size + FrameLimits.BatchPrefix];

    /// <summary>Sends the entries as one frame; returns the messages sent, 0 if the other side has gone.</summary>
    /// <param name="connection">Where to.</param>
    /// <param name="batch">The entries.</param>
    /// <param name="leaves">
    /// Called before the first byte leaves: what is said to have arrived before that is a lie, and entries that are not pinned yet must not
    /// be let go of for it.
    /// </param>
    public async ValueTask<int> SendAsync(IConnection connection, List<OutputEntry> batch, Action leaves)
    {
        ulong firstTotal = batch[0].Total;
        ulong firstReplayable = batch[0].Impulses ? batch[0].Number + 1 : batch[0].Number;
        int count = 0;
        int replayable = 0;
        var parts = new (OutputEntry Entry, int Skipped, ReadOnlyMemory<byte> Bytes)[batch.Count];
        for (int i = 0; i < parts.Length; i++)
        {
            parts[i] = (batch[i], batch[i].Skipped, default);
            count += batch[i].Count;
            replayable += batch[i].ReplayableCount;
        }

        int pinned = 0;
        try
        {
            int size = 0;
            for (; pinned < parts.Length; pinned++)
            {
                OutputEntry entry = parts[pinned].Entry;
                ReadOnlyMemory<byte> bytes = await entry.Chunk.PinAsync(entry.Offset, entry.Length);
                int offset = parts[pinned].Skipped == 0 ? 0 : MessageRun.OffsetOf(bytes.Span, parts[pinned].Skipped);
                parts[pinned].Bytes = bytes[offset..];
                size += parts[pinned].Bytes.Length;
            }

            int prefix = ComposePrefix(new BatchHeader(firstTotal, firstReplayable, count, replayable), parts, size);
            leaves();
            return await WriteAsync(connection, prefix, parts) ? count : 0;
        }
        finally
        {
            for (int i = 0; i < pinned; i++)
            {
                parts[i].Entry.Chunk.Unpin();
            }
        }
    }

    private int ComposePrefix(BatchHeader header, (OutputEntry Entry, int Skipped, ReadOnlyMemory<byte> Bytes)[] parts, int size)
    {
        int numbers = header.Write(_prefix.AsSpan(FrameHeader.Size));
        FrameHeader.WriteWithoutCrc(_prefix, FrameKind.Batch, numbers + size);
        uint state = Crc32C.Append(Crc32C.Seed, _prefix.AsSpan(4, FrameHeader.Size - 4 + numbers));
        foreach ((_, _, ReadOnlyMemory<byte> bytes) in parts)
        {
            state = Crc32C.Append(state, bytes.Span);
        }

        FrameHeader.Seal(_prefix, state);
        return FrameHeader.Size + numbers;
    }

    private async ValueTask<bool> WriteAsync(IConnection connection, int prefix,
        (OutputEntry Entry, int Skipped, ReadOnlyMemory<byte> Bytes)[] parts)
    {
        connection.Output.Write(_prefix.AsSpan(0, prefix));
        foreach ((_, _, ReadOnlyMemory<byte> bytes) in parts)
        {
            if (bytes.Length < WrittenDirectly)
            {
                connection.Output.Write(bytes.Span);
            }
            else if ((await connection.Output.WriteAsync(bytes)).IsCompleted)
            {
                return false;
            }
        }

        FlushResult flushed = await connection.Output.FlushAsync();
        return !flushed.IsCompleted;
    }
}
