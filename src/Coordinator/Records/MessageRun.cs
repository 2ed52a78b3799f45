using System.Buffers;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Records;

/// <summary>Questions about a run of messages in delivery form that only its bytes can answer.</summary>
internal static class MessageRun
{
    /// <summary>
    /// Offset behind the first <paramref name="count"/> messages. The only place where a batch is opened, after a reconnection.
    /// </summary>
    public static long OffsetOf(in ReadOnlySequence<byte> messages, int count)
    {
        if (messages.IsSingleSegment)
        {
            return OffsetOf(messages.FirstSpan, count);
        }

        byte[] copy = ArrayPool<byte>.Shared.Rent((int)messages.Length);
        messages.CopyTo(copy);
        int offset = OffsetOf(copy.AsSpan(0, (int)messages.Length), count);
        ArrayPool<byte>.Shared.Return(copy);
        return offset;
    }

    /// <summary>Offset behind the first <paramref name="count"/> messages.</summary>
    public static int OffsetOf(ReadOnlySpan<byte> messages, int count)
    {
        var scanner = new MessageScanner(messages);
        for (int i = 0; i < count; i++)
        {
            scanner.MoveNext();
        }

        return scanner.Offset;
    }

    /// <summary>Counts messages, checking that each is an RPC and none exceeds the limit; also across the joints of a sequence.</summary>
    /// <exception cref="ProtocolException">Bytes that are not messages in delivery form.</exception>
    public static (int Count, int Replayable) Count(in ReadOnlySequence<byte> messages, int largest, RunOrigin origin) =>
        Count(messages, largest, origin, out _);

    /// <summary>The same; <paramref name="exceptions"/> is the number of replies that carry an exception.</summary>
    /// <exception cref="ProtocolException">Bytes that are not messages in delivery form.</exception>
    public static (int Count, int Replayable) Count(in ReadOnlySequence<byte> messages, int largest, RunOrigin origin, out int exceptions)
    {
        if (messages.IsSingleSegment)
        {
            return MessageScanner.Count(messages.FirstSpan, largest, origin, out exceptions);
        }

        byte[] copy = ArrayPool<byte>.Shared.Rent(checked((int)messages.Length));
        try
        {
            messages.CopyTo(copy);
            return MessageScanner.Count(copy.AsSpan(0, (int)messages.Length), largest, origin, out exceptions);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(copy);
        }
    }
}
