using System.Buffers;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Outside;

/// <summary>What a test lets an app do with calls from outside.</summary>
internal static class OutsideApp
{
    /// <summary>Attaches again, up to where it gets what it has not executed.</summary>
    public static async Task ComeAgainAsync(this ScriptedApp app)
    {
        await app.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        await app.HearAsync(BindingMessageType.Checkpoint);
    }

    /// <summary>Gets the next call from outside, in a record of its own, and says in which record.</summary>
    public static async Task<(ulong Lsn, long Number, byte[] Arguments)> HearCallAsync(this ScriptedApp app)
    {
        var info = RecordInfo.Read(await app.HearAsync(BindingMessageType.RecordInfo));
        byte[] rpc = await app.HearAsync(BindingMessageType.Rpc);
        return Described(info.Lsn, rpc);
    }

    /// <summary>Sends an answer in a turn that goes on.</summary>
    public static async Task SendAnswerAsync(this ScriptedApp app, long number, byte value, RpcForm form = RpcForm.Value)
    {
        var data = new ArrayBufferWriter<byte>();
        var writer = new ByteWriter(data);
        writer.WriteByte((byte)form);
        writer.WriteZigZag(7);
        writer.WriteByte((byte)RpcKind.Fork);
        writer.WriteZigZag(number);
        writer.WriteByte(value);
        var message = new ArrayBufferWriter<byte>();
        Version2Framing.WriteMessage(message, BindingMessageType.Rpc, data.WrittenSpan);
        await app.SayAsync(BindingMessageType.Destination, new DestinationName(1, "outside.ambrosia").Write);
        await app.SayAsync(BindingMessageType.Outputs, output =>
        {
            Span<byte> head = stackalloc byte[RunHeader.MaxSize];
            output.Write(head[..new RunHeader(1, 1).Write(head)]);
            output.Write(message.WrittenSpan);
        });
    }

    /// <summary>Answers a call, and ends the record's turns.</summary>
    public static async Task AnswerAsync(this ScriptedApp app, ulong lsn, long number, byte value, RpcForm form = RpcForm.Value)
    {
        await app.SendAnswerAsync(number, value, form);
        await app.DoneAsync(lsn);
    }

    private static (ulong Lsn, long Number, byte[] Arguments) Described(ulong lsn, byte[] rpc)
    {
        RpcHeader header = RpcHeader.Read(rpc);
        Assert.Equal((RpcForm.Call, RpcKind.Async, 7, "outside.ambrosia"), (header.Form, header.Kind, header.MethodId, header.CallerName));
        return (lsn, header.CallNumber, header.Body.ToArray());
    }
}
