using Ambrosia.Protocol;

namespace Ambrosia.Simulation.Tests;

/// <summary>What stands in front of the messages of a batch: size, type, counts. After it there are only messages.</summary>
internal static class BatchHead
{
    /// <summary>Its size in bytes; 0 if something else than a batch begins here, -1 if too little is there to tell.</summary>
    public static int SizeOf(ReadOnlySpan<byte> bytes)
    {
        if (!Varint.TryReadZigZag(bytes, out _, out int size) || size >= bytes.Length)
        {
            return -1;
        }

        var type = (BindingMessageType)bytes[size++];
        int counts = type switch { BindingMessageType.CountReplayableRpcBatch => 2, BindingMessageType.RpcBatch => 1, _ => 0 };
        for (int i = 0; i < counts; i++)
        {
            if (!Varint.TryReadZigZag(bytes[size..], out _, out int count))
            {
                return -1;
            }

            size += count;
        }

        return counts == 0 ? 0 : size;
    }
}
