using System.Buffers;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Delivery;

/// <summary>One message cut out of the app's stream.</summary>
public readonly record struct AppMessage(BindingMessageType Type, ReadOnlySequence<byte> Data, long TotalSize)
{
    /// <summary>Takes the message at the front; false when more bytes are needed.</summary>
    /// <exception cref="ProtocolException">Its size is malformed or beyond the limit.</exception>
    public static bool TryRead(in ReadOnlySequence<byte> buffer, long maxSize, out AppMessage message)
    {
        message = default;
        Span<byte> copy = stackalloc byte[Varint.MaxSize64 + 1];
        scoped ReadOnlySpan<byte> first = buffer.FirstSpan;
        if (first.Length < copy.Length)
        {
            int available = (int)Math.Min(buffer.Length, copy.Length);
            buffer.Slice(0, available).CopyTo(copy);
            first = copy[..available];
        }

        if (!Varint.TryReadZigZag(first, out long size, out int prefix))
        {
            return prefix == 0 ? false : throw new ProtocolException("malformed message size", 0);
        }

        if (size < 1 || size > maxSize)
        {
            throw new ProtocolException($"message of {size} bytes; the limit is {maxSize} (--max-message-size)", 0);
        }

        if (buffer.Length < prefix + size)
        {
            return false;
        }

        var type = (BindingMessageType)(first.Length > prefix ? first[prefix] : buffer.Slice(prefix, 1).FirstSpan[0]);
        message = new AppMessage(type, buffer.Slice(prefix + 1, size - 1), prefix + size);
        return true;
    }

    /// <summary>The data as one span; copies only when it lies in several pieces.</summary>
    public byte[] ToArray() => Data.ToArray();
}
