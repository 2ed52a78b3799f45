using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>Delivery to an app of the binding protocol, which reports the end of each turn and takes a record in pieces.</summary>
internal sealed class BindingDelivery(
    PipeWriter output, IAppFraming framing, AppServices services, CheckpointExchange checkpoints, DeliveryTerms terms)
    : AppDelivery(output, framing, services, checkpoints, terms)
{
    protected override bool AwaitsCheckpoint => false;

    protected override void AnnouncePrimary() => Framing.WriteControl(Output, BindingMessageType.BecomingPrimary);

    protected override void WriteConversion(string goal)
    {
        var data = new ArrayBufferWriter<byte>();
        new ConversionRequest(goal, Gate?.Executed).Write(data);
        Version2Framing.WriteMessage(Output, BindingMessageType.UpgradeTakeCheckpoint, data.WrittenSpan);
    }

    protected override ValueTask WriteMessagesAsync(RecordInfo info, ReadOnlyMemory<byte> payload, RecordMarks marks, bool replay)
    {
        if (!replay)
        {
            Services.Latency.Delivered(new Lsn(info.Lsn));
            Services.Tracer?.Delivered(new Lsn(info.Lsn));
        }

        if (Failpoint.IsArmed("K7"))
        {
            return WriteInHalvesAsync(info, payload, marks);
        }

        if (InSteps(new Lsn(info.Lsn)))
        {
            return WriteInStepsAsync(info with { Flags = (byte)(info.Flags | RecordInfo.InSteps) }, payload, marks);
        }

        if (payload.Length >= Services.Sizes.DeliveryFlushBytes)
        {
            return WriteDirectlyAsync(info, payload, marks);
        }

        Framing.WriteRecord(Output, info, payload, marks);
        return default;
    }

    // A large payload goes from its page to the socket without a copy; the caller keeps the page until then.
    private async ValueTask WriteDirectlyAsync(RecordInfo info, ReadOnlyMemory<byte> payload, RecordMarks marks)
    {
        Framing.WriteRecord(Output, info, ReadOnlyMemory<byte>.Empty, marks);
        await FlushAsync(await Output.WriteAsync(payload));
    }

    private async ValueTask WriteInStepsAsync(RecordInfo info, ReadOnlyMemory<byte> payload, RecordMarks marks)
    {
        DeliveredIndex = -1;
        Framing.WriteRecord(Output, info, ReadOnlyMemory<byte>.Empty, marks);
        int start = 0;
        foreach (int end in PlacedMessage.Ends(payload.Span))
        {
            DeliveredIndex++;
            await FlushAsync(await Output.WriteAsync(payload[start..end]));
            start = end;
            while (!Terms.HasDone(new MessagePosition(info.Lsn, DeliveredIndex)))
            {
                await WorkAsync();
            }
        }

        DeliveredIndex = int.MaxValue;
    }

    private async ValueTask WriteInHalvesAsync(RecordInfo info, ReadOnlyMemory<byte> payload, RecordMarks marks)
    {
        int half = payload.Length / 2;
        Framing.WriteRecord(Output, info, payload[..half], marks);
        await FlushAsync(await Output.FlushAsync());
        Failpoint.Pass("K7");
        await FlushAsync(await Output.WriteAsync(payload[half..]));
    }
}
