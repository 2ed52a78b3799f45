using System.Buffers;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.Bench;

/// <summary>Messages as they are on the wire.</summary>
internal static class Messages
{
    /// <summary>A fork with that many bytes as its only argument.</summary>
    public static byte[] Fork(int size) => Of(1, RpcKind.Fork, size);

    /// <summary>A message with that many bytes as its only argument; a call has a number of its caller's.</summary>
    public static byte[] Of(int method, RpcKind kind, int size, long number = 12345)
    {
        var data = new ArrayBufferWriter<byte>();
        var head = new ByteWriter(data);
        head.WriteByte(0);
        head.WriteZigZag(method);
        head.WriteByte((byte)kind);
        if (kind == RpcKind.Async)
        {
            head.WriteZigZag(6);
            head.WriteBytes("caller"u8);
            head.WriteZigZag(number);
        }

        var arguments = new MessagePackWriter(data);
        arguments.WriteArrayHeader(1);
        arguments.WriteBinary(new byte[size]);
        arguments.Flush();
        byte[] prefix = new byte[Varint.MaxSize32];
        int length = Varint.WriteZigZag(prefix, data.WrittenCount + 1);
        return [.. prefix[..length], (byte)BindingMessageType.Rpc, .. data.WrittenSpan];
    }

    /// <summary>That many of them, one behind the other.</summary>
    public static byte[] Run(int size, int count) => [.. Enumerable.Repeat(Fork(size), count).SelectMany(static bytes => bytes)];
}
