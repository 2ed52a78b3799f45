using System.Buffers;
using System.Buffers.Binary;
using Ambrosia.Protocol;
using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia.Simulation.Tests;

/// <summary>Messages of <see cref="IWalker"/>, written by hand.</summary>
internal sealed class ScriptedMessages(Workload workload)
{
    private const int LongestHead = 64;

    /// <summary>A call or an impulse.</summary>
    public byte[] Call(int method, RpcKind kind, ulong id, int depth)
    {
        byte[] load = workload.ScriptedLoadOf(id);
        byte[] body = new byte[LongestHead + load.Length];
        int size = WriteHead(body, RpcForm.Call, method, kind);
        body[size++] = 0x93; // MessagePack: an array of three.
        body[size++] = 0xCF;
        BinaryPrimitives.WriteUInt64BigEndian(body.AsSpan(size), id);
        size += 8;
        body[size++] = (byte)Math.Max(0, depth);
        body[size++] = 0xC6; // Bytes, their count in 32 bits.
        BinaryPrimitives.WriteInt32BigEndian(body.AsSpan(size), load.Length);
        load.CopyTo(body, size + 4);
        return Wrap(body.AsSpan(0, size + 4 + load.Length));
    }

    /// <summary>The arguments of a call.</summary>
    public byte[] Arguments(ulong id, int depth)
    {
        var scanner = new MessageScanner(Call(0, RpcKind.Fork, id, depth));
        scanner.MoveNext();
        return RpcHeader.Read(scanner.Data).Body.ToArray();
    }

    /// <summary>What <see cref="IWalker.Ask"/> returns.</summary>
    public static byte[] Answer(in RpcHeader call, ulong id)
    {
        byte[] body = new byte[LongestHead];
        int size = WriteReply(body, RpcForm.Value, call);
        body[size++] = 0xCF; // MessagePack: an unsigned number of 64 bits.
        BinaryPrimitives.WriteUInt64BigEndian(body.AsSpan(size), Workload.AnswerTo(id));
        return Wrap(body.AsSpan(0, size + 8));
    }

    /// <summary>An exception instead.</summary>
    public static byte[] Refusal(in RpcHeader call, Exception reason)
    {
        var body = new ArrayBufferWriter<byte>();
        body.Advance(WriteReply(body.GetSpan(LongestHead), RpcForm.Exception, call));
        var writer = new MessagePackWriter(body);
        ExceptionCodec.Write(ref writer, reason);
        writer.Flush();
        return Wrap(body.WrittenSpan);
    }

    private static int WriteReply(Span<byte> body, RpcForm form, in RpcHeader call)
    {
        int size = WriteHead(body, form, call.MethodId, RpcKind.Fork);
        return size + Varint.WriteZigZag(body[size..], call.CallNumber);
    }

    private static int WriteHead(Span<byte> body, RpcForm form, int method, RpcKind kind)
    {
        body[0] = (byte)form;
        int size = 1 + Varint.WriteZigZag(body[1..], method);
        body[size] = (byte)kind;
        return size + 1;
    }

    private static byte[] Wrap(ReadOnlySpan<byte> body)
    {
        byte[] message = new byte[Varint.MaxSize32 + 1 + body.Length];
        int size = Varint.WriteZigZag(message, body.Length + 1);
        message[size++] = (byte)BindingMessageType.Rpc;
        body.CopyTo(message.AsSpan(size));
        return message[..(size + body.Length)];
    }
}
