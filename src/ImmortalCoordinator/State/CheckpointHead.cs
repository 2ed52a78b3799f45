using System.Buffers;
using Ambrosia.ImmortalCoordinator.Ingest;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.State;

/// <summary>
/// What a checkpoint holds of the coordinator (PROTOCOL H6): the inputs as logged in its record, and per destination how far the
/// app's stream had got, what was trimmed, and the outputs not yet durable there. Totals and impulses are not in it.
/// Layout: varint format · inputs (string name, 16 bytes sender id, varints total, replayable, sender epoch) ·
/// outputs (string destination, varints streamed, trimmed, receiver epoch, 16 bytes receiver id) ·
/// varint output entries that follow.
/// </summary>
internal sealed class CheckpointHead
{
    public const ulong Format = 1;
    private const int MaxEntries = 1 << 24;

    public List<InputMark> Inputs { get; } = [];

    public List<OutputMark> Outputs { get; } = [];

    public int EntryCount { get; set; }

    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteVarint(Format);
        writer.WriteVarint((ulong)Inputs.Count);
        foreach (InputMark input in Inputs)
        {
            writer.WriteString(input.Name);
            writer.WriteGuid(input.SenderId);
            writer.WriteVarint(input.Watermark.Total);
            writer.WriteVarint(input.Watermark.Replayable);
            writer.WriteVarint(input.Watermark.SenderEpoch);
        }

        writer.WriteVarint((ulong)Outputs.Count);
        foreach (OutputMark mark in Outputs)
        {
            writer.WriteString(mark.Destination);
            writer.WriteVarint(mark.Streamed);
            writer.WriteVarint(mark.Trimmed);
            writer.WriteVarint(mark.ReceiverEpoch);
            writer.WriteGuid(mark.ReceiverId);
        }

        writer.WriteVarint((ulong)EntryCount);
    }

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    /// <exception cref="ProtocolException">Another build wrote it.</exception>
    public static CheckpointHead Read(ReadOnlySpan<byte> source)
    {
        var reader = new ByteReader(source);
        ulong format = reader.ReadVarint("checkpoint format");
        if (format != Format)
        {
            throw new ProtocolException($"checkpoint head of format {format}; this build reads {Format}", 0);
        }

        var head = new CheckpointHead();
        for (int n = reader.ReadLength(MaxEntries, "checkpoint inputs"); n > 0; n--)
        {
            string name = reader.ReadString(InstanceName.MaxLength, "input name");
            Guid id = reader.ReadGuid("input sender id");
            head.Inputs.Add(new InputMark(name, id, new Watermark(
                reader.ReadVarint("input total"), reader.ReadVarint("input replayable"), reader.ReadVarint("input sender epoch"))));
        }

        for (int n = reader.ReadLength(MaxEntries, "checkpoint outputs"); n > 0; n--)
        {
            head.Outputs.Add(new OutputMark(
                reader.ReadString(InstanceName.MaxLength, "output destination"), reader.ReadVarint("output streamed"),
                reader.ReadVarint("output trimmed"), reader.ReadVarint("output receiver epoch"), reader.ReadGuid("output receiver id")));
        }

        head.EntryCount = reader.ReadLength(int.MaxValue, "checkpoint entries");
        reader.ExpectEnd("checkpoint head");
        return head;
    }
}
