using System.Buffers;
using System.Text;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Support;

internal delegate void WriteArguments(ref MessagePackWriter writer);

/// <summary>Messages in delivery form, made by hand.</summary>
internal static class TestMessage
{
    public static byte[] Call(RpcKind kind, int method, WriteArguments arguments, string caller = "client", long number = 0)
    {
        var output = new ArrayBufferWriter<byte>();
        var writer = new ByteWriter(output);
        writer.WriteByte(0);
        writer.WriteZigZag(method);
        writer.WriteByte((byte)kind);
        if (kind == RpcKind.Async)
        {
            writer.WriteZigZag(Encoding.UTF8.GetByteCount(caller));
            writer.WriteBytes(Encoding.UTF8.GetBytes(caller));
            writer.WriteZigZag(number);
        }

        var packed = new MessagePackWriter(output);
        arguments(ref packed);
        packed.Flush();
        return Frame(BindingMessageType.Rpc, output.WrittenSpan);
    }

    public static byte[] Reply(RpcForm form, int method, long number, ReadOnlySpan<byte> value)
    {
        var output = new ArrayBufferWriter<byte>();
        var writer = new ByteWriter(output);
        writer.WriteByte((byte)form);
        writer.WriteZigZag(method);
        writer.WriteByte(1);
        writer.WriteZigZag(number);
        writer.WriteBytes(value);
        return Frame(BindingMessageType.Rpc, output.WrittenSpan);
    }

    public static byte[] Frame(BindingMessageType type, ReadOnlySpan<byte> data)
    {
        byte[] message = new byte[Varint.MaxSize32 + 1 + data.Length];
        int size = Varint.WriteZigZag(message, data.Length + 1);
        message[size++] = (byte)type;
        data.CopyTo(message.AsSpan(size));
        return message[..(size + data.Length)];
    }

    /// <summary>Wraps whole messages as one batch of type 13.</summary>
    public static byte[] Batch(params byte[][] messages)
    {
        var output = new ArrayBufferWriter<byte>();
        var writer = new ByteWriter(output);
        writer.WriteZigZag(messages.Length);
        writer.WriteZigZag(messages.Length);
        foreach (byte[] message in messages)
        {
            writer.WriteBytes(message);
        }

        return Frame(BindingMessageType.CountReplayableRpcBatch, output.WrittenSpan);
    }

    /// <summary>The data of a framed message of type 0.</summary>
    public static byte[] DataOf(ReadOnlySpan<byte> message)
    {
        var scanner = new MessageScanner(message);
        Assert.True(scanner.MoveNext());
        return scanner.Data.ToArray();
    }
}
