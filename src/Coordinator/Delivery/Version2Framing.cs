using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Records;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Delivery;

/// <summary>Version 2 of the binding link: plain messages; RecordInfo announces a record.</summary>
public sealed class Version2Framing : IAppFraming
{
    public void WriteRecord(PipeWriter output, RecordInfo info, ReadOnlyMemory<byte> payload, RecordMarks marks)
    {
        Span<byte> data = stackalloc byte[RecordInfo.MaxSize];
        WriteMessage(output, BindingMessageType.RecordInfo, data[..info.Write(data)]);
        output.Write(payload.Span);
    }

    public void WriteControl(PipeWriter output, BindingMessageType type, ReadOnlySpan<byte> data = default) =>
        WriteMessage(output, type, data);

    public void WriteCheckpointHeader(PipeWriter output, long size)
    {
        Span<byte> data = stackalloc byte[Varint.MaxSize64];
        WriteMessage(output, BindingMessageType.Checkpoint, data[..Varint.WriteZigZag(data, size)]);
    }

    /// <summary>Writes a message of its own, and sees it off.</summary>
    public static async ValueTask SendAsync(PipeWriter output, BindingMessageType type, Action<IBufferWriter<byte>> write)
    {
        var data = new ArrayBufferWriter<byte>(256);
        write(data);
        WriteMessage(output, type, data.WrittenSpan);
        await output.FlushAsync();
    }

    /// <summary>Any message with its data.</summary>
    public static void WriteMessage(IBufferWriter<byte> output, BindingMessageType type, ReadOnlySpan<byte> data)
    {
        Span<byte> span = output.GetSpan(Varint.MaxSize32 + 1 + data.Length);
        int size = Varint.WriteZigZag(span, data.Length + 1);
        span[size++] = (byte)type;
        data.CopyTo(span[size..]);
        output.Advance(size + data.Length);
    }
}
