using System.Buffers;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Delivery;

/// <summary>
/// The RPCBatch that an app of the published protocol is just sending. Bindings of the original put into one whatever waits, so it may be
/// larger than any message may be: its messages are taken one by one, and the limit is that of each.
/// </summary>
internal sealed class LegacyBatch
{
    private long _messages;
    private long _bytes;

    /// <summary>Goes over the head of a batch if one begins at <paramref name="scanned"/>; false while nobody can know.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public bool PassHead(in ReadOnlySequence<byte> buffer, ref long scanned)
    {
        Span<byte> copy = stackalloc byte[(2 * Varint.MaxSize64) + 1];
        while (_messages == 0)
        {
            ReadOnlySequence<byte> rest = buffer.Slice(scanned);
            Span<byte> head = copy[..(int)Math.Min(rest.Length, copy.Length)];
            rest.Slice(0, head.Length).CopyTo(head);
            if (!Varint.TryReadZigZag(head, out long size, out int prefix))
            {
                return prefix != 0; // The reader of messages says what is wrong with it.
            }

            if (head.Length == prefix)
            {
                return false;
            }

            if (head[prefix] != (byte)BindingMessageType.RpcBatch || size < 1)
            {
                return true;
            }

            Span<byte> data = head[(prefix + 1)..];
            if (!Varint.TryReadZigZag(data, out long count, out int countSize))
            {
                return countSize == 0 && data.Length < size - 1 ? false : throw new ProtocolException("malformed batch count", 0);
            }

            Begin(count, size - 1 - countSize);
            scanned += prefix + 1 + countSize;
        }

        return true;
    }

    /// <summary>A message was read.</summary>
    /// <exception cref="ProtocolException">It is not what the batch announced.</exception>
    public void Take(in AppMessage message)
    {
        if (_messages == 0)
        {
            return;
        }

        if (message.Type != BindingMessageType.Rpc)
        {
            throw new ProtocolException($"message of type {(byte)message.Type} inside a batch", 0);
        }

        Begin(_messages - 1, _bytes - message.TotalSize);
    }

    private void Begin(long messages, long bytes)
    {
        if (messages < 0 || bytes < 0 || (messages == 0) != (bytes == 0))
        {
            throw new ProtocolException($"the batch has {messages} messages and {bytes} bytes left", 0);
        }

        (_messages, _bytes) = (messages, bytes);
    }
}
