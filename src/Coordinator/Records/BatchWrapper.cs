using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Records;

/// <summary>What stands in front of a run of messages in a record's payload: a type 13 message, or nothing for a single RPC.</summary>
internal static class BatchWrapper
{
    /// <summary>Bytes in front of the messages.</summary>
    public static int Size(int count, int replayable, long messageBytes)
    {
        if (count == 1)
        {
            return 0;
        }

        long data = 1 + Varint.SizeZigZag(count) + Varint.SizeZigZag(replayable) + messageBytes;
        return Varint.SizeZigZag(data) + (int)(data - messageBytes);
    }

    /// <summary>Writes them and returns the bytes used.</summary>
    public static int Write(Span<byte> destination, int count, int replayable, long messageBytes)
    {
        if (count == 1)
        {
            return 0;
        }

        long data = 1 + Varint.SizeZigZag(count) + Varint.SizeZigZag(replayable) + messageBytes;
        int size = Varint.WriteZigZag(destination, data);
        destination[size++] = (byte)BindingMessageType.CountReplayableRpcBatch;
        size += Varint.WriteZigZag(destination[size..], count);
        return size + Varint.WriteZigZag(destination[size..], replayable);
    }
}
