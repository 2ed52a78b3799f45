using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Records;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Delivery;

/// <summary>
/// AMBROSIA's published client protocol: everything to the app is a record with a 24-byte header. The check bytes are the
/// CRC-32C of what follows the header; a checkpoint's raw bytes follow its record and are covered by the checkpoint file's own checksums.
/// Records of the log are numbered from 1 on each connection, without a gap.
/// </summary>
internal sealed class LegacyFraming(int committerId, string self) : IAppFraming
{
    private readonly LegacyForm _form = new(self);
    private long _lastRecord;

    // Bindings stop at a gap, and LSNs have gaps: what holds nothing for the app is not delivered.
    public void WriteRecord(PipeWriter output, RecordInfo info, ReadOnlyMemory<byte> payload, RecordMarks marks) =>
        Write(output, _form.Of(payload.Span, marks), ++_lastRecord);

    public void WriteControl(PipeWriter output, BindingMessageType type, ReadOnlySpan<byte> data = default)
    {
        var message = new ArrayBufferWriter<byte>(data.Length + 8);
        Version2Framing.WriteMessage(message, type, data);
        Write(output, message.WrittenSpan, LogRecordHeader.OwnMessage);
    }

    public void WriteCheckpointHeader(PipeWriter output, long size)
    {
        var message = new ArrayBufferWriter<byte>(16);
        Span<byte> data = stackalloc byte[Varint.MaxSize64];
        Version2Framing.WriteMessage(message, BindingMessageType.Checkpoint, data[..Varint.WriteZigZag(data, size)]);
        Write(output, message.WrittenSpan, LogRecordHeader.CheckpointRecord);
    }

    private void Write(PipeWriter output, ReadOnlySpan<byte> messages, long recordId)
    {
        var header = new LogRecordHeader(committerId, LogRecordHeader.Size + messages.Length, Crc32C.Compute(messages), recordId);
        header.Write(output.GetSpan(LogRecordHeader.Size));
        output.Advance(LogRecordHeader.Size);
        output.Write(messages);
    }
}
