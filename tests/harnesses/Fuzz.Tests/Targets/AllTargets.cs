using System.Buffers;
using System.Globalization;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Format;
using Ambrosia.Primitives;
using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;

using LogHeader = Ambrosia.Protocol.LogRecordHeader;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>Every parser of bytes that somebody else may have written.</summary>
internal static class AllTargets
{
    private static readonly InstanceId s_id = new(0x0102030405060708, 9);

    /// <summary>A fresh set: targets keep buffers, so each thread makes its own.</summary>
    public static IReadOnlyList<FuzzTarget> Make() =>
    [
        new VarintTarget(),
        new FrameTarget(),
        new CodecTarget<PeerHello>("peer-hello", PeerHello.Read, static (value, output) =>
            value.Write(output), Vectors.Of("peer-hello"), 14),
        new CodecTarget<PeerAnswer>("peer-answer", PeerAnswer.Read, static (value, output) =>
            value.Write(output), Vectors.Of("answer"), 10),
        new CodecTarget<PeerGap>("peer-gap", PeerGap.Read, static (value, output) => value.Write(output), Vectors.Of("gap")),
        new CodecTarget<PeerGoodbye>("peer-goodbye", PeerGoodbye.Read, static (value, output) =>
            value.Write(output), Vectors.Of("goodbye")),
        new RunTarget("peer-batch", ReadBatch, Vectors.Of("batch"), 14),
        new RunTarget("messages", static (in ReadOnlySequence<byte> bytes, out ReadOnlySequence<byte> messages) =>
            ReadNothing(bytes, out messages), Vectors.Of("run"), 10),
        new RunTarget("app-run", ReadRun, Vectors.Of("output-run"), 8),
        new RpcTarget(),
        new NameTarget(),
        new CodecTarget<BindingHello>("binding-hello", BindingHello.Read, static (value, output) =>
            value.Write(output), Vectors.Of("binding-hello")),
        new CodecTarget<BindingWelcome>("binding-welcome", BindingWelcome.Read, static (value, output) =>
            value.Write(output), Vectors.Of("welcome")),
        new CodecTarget<BindingRefused>("binding-refused", BindingRefused.Read, static (value, output) =>
            value.Write(output), Vectors.Of("refused"), 4),
        new CodecTarget<DestinationName>("destination", DestinationName.Read, static (value, output) =>
            value.Write(output), Vectors.Of("destination")),
        new CodecTarget<HandlerFault>("handler-fault", HandlerFault.Read, static (value, output) =>
            value.Write(output), Vectors.Of("handler-fault"), 4),
        new CodecTarget<EffectAsked>("effect-asked", EffectAsked.Read, static (value, output) =>
            value.Write(output), Vectors.Of("effect-asked")),
        new CodecTarget<Progress>("progress", Progress.Read, static (value, output) =>
            output.Advance(value.Write(output.GetSpan(Progress.MaxSize))), Vectors.Of("progress")),
        new CodecTarget<HandlerLimits>("limits", HandlerLimits.Read, static (value, output) =>
            output.Advance(value.Write(output.GetSpan(HandlerLimits.MaxSize))), Vectors.Of("limits")),
        new CodecTarget<RecordInfo>("record-info", RecordInfo.Read, static (value, output) =>
            output.Advance(value.Write(output.GetSpan(RecordInfo.MaxSize))), Vectors.Of("record-info")),
        new CodecTarget<LogHeader>("legacy-record", ReadLegacyRecord, WriteLegacyRecord, Vectors.Of("record-header"), 4),
        new CodecTarget<string>("legacy-rpc", ReadLegacyDestination, WriteLegacyDestination, Vectors.Of("legacy-rpc")),
        new CodecTarget<string>("query", ReadQuery, WriteQuery,
            [QueryRequest.Write(1, [0, 5, 1, 0x90]), QueryRequest.Write(ulong.MaxValue, [])], 4),
        new CodecTarget<string>("query-reply", ReadReply, WriteReply, [[1, 0, 0x2A], [0x80, 1, 1]], 4),
        new AppStreamTarget(),
        new LinkStreamTarget(),
        new HeaderTarget<SegmentHeader>("segment-header", static bytes => SegmentHeader.TryRead(bytes.Span, "file"), static header =>
            header.ToBytes(), Segment()),
        new HeaderTarget<CheckpointHeader>("checkpoint-header", static bytes =>
            CheckpointHeader.TryRead(bytes.Span, "file"), static header => header.ToBytes(), Checkpoint()),
        new RecordsTarget(),
        new CheckpointTarget(),
        new ManifestTarget(),
        new CatalogTarget(),
        new FileNameTarget(),
        new TrailerTarget(),
        new CodecTarget<CheckpointHead>("checkpoint-head", CheckpointHead.Read, static (value, output) =>
            value.Write(output, Lsn.None), [Head(0), Head(2), PoisonedHead(), OutsideSeeds.Head()], 6,
            allocationBase: 24 * 1024), // It is read three times, each time with tables of calls from outside.
        new ImageTarget(),
        new OptionsTarget(),
        new AddressTarget(),
        new FormatterTarget(),
        new StateTarget(),
        new IdempotencyKeyTarget(),
        new ShapesTarget(),
        new JsonValueTarget(),
        new IngressMessageTarget<IngressCallRequest>("ingress-call", IngressCallRequest.Read, static (value, output) => value.Write(output),
            [
                new("shop", "Order", 5, new("01K7CZ0PHVQ5S6Y3J9WZ8B2M4D", 7, 3, 2), IngressForm.MessagePack, new byte[] { 0x91, 5 }),
                new("shop", "Order", null, null, IngressForm.Json, "{}"u8.ToArray()),
            ]),
        new IngressMessageTarget<IngressLookRequest>("ingress-look", IngressLookRequest.Read, static (value, output) => value.Write(output),
            [new("shop", new("k", 7, 0, 0), "Order", IngressForm.Json), new("", new("", 0, 0, 0), "", IngressForm.MessagePack)]),
        new IngressMessageTarget<IngressQueryRequest>("ingress-query", IngressQueryRequest.Read, static (value, output) =>
            value.Write(output), [new("shop", "PriceOf", 6, IngressForm.Json, "[1]"u8.ToArray(), 9)]),
        new IngressMessageTarget<IngressReply>("ingress-reply", IngressReply.Read, static (value, output) => value.Write(output),
            [
                new(IngressReplyKind.Accepted), new(IngressReplyKind.Nothing), new(IngressReplyKind.Json, "5"u8.ToArray()),
                new(IngressReplyKind.Exception, new byte[] { 0x90 })
                    { ExceptionType = "A.B", ExceptionMessage = "no", ExceptionData = "{}" },
            ]),
        new IngressMessageTarget<IngressQueryReply>("ingress-query-reply", IngressQueryReply.Read, static (value, output) =>
            value.Write(output), [new(IngressForm.MessagePack, new byte[] { 5 }, 7)]),
        new IngressMessageTarget<IngressAwakeableRequest>(
            "ingress-awakeable", IngressAwakeableRequest.Read, static (value, output) => value.Write(output),
            [
                new("shop", "AQAAAAcx", IngressAwakeableForm.Json, "[1]"u8.ToArray()),
                new("", "AQAAAAcx", IngressAwakeableForm.MessagePack, new byte[] { 0x91, 5 }),
                new("shop", "AQAAAAcx", IngressAwakeableForm.Rejection, "no"u8.ToArray()), new("", "", IngressAwakeableForm.None, default),
            ]),
        new KeySetTarget(),
        new JwtTarget(),
    ];

    private static (int? Count, int? Replayable) ReadBatch(in ReadOnlySequence<byte> bytes, out ReadOnlySequence<byte> messages)
    {
        BatchHeader header = BatchHeader.Read(bytes, out messages);
        return (header.Count, header.ReplayableCount);
    }

    private static (int? Count, int? Replayable) ReadRun(in ReadOnlySequence<byte> bytes, out ReadOnlySequence<byte> messages)
    {
        RunHeader header = RunHeader.Read(bytes, out messages);
        return (header.Count, null);
    }

    private static (int? Count, int? Replayable) ReadNothing(in ReadOnlySequence<byte> bytes, out ReadOnlySequence<byte> messages)
    {
        messages = bytes;
        return (null, null);
    }

    private static LogHeader ReadLegacyRecord(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < LogHeader.Size)
        {
            throw new ProtocolException(FuzzTarget.Incomplete, 0);
        }

        return LogHeader.Read(bytes);
    }

    private static void WriteLegacyRecord(LogHeader value, IBufferWriter<byte> output)
    {
        value.Write(output.GetSpan(LogHeader.Size));
        output.Advance(LogHeader.Size);
    }

    // Name and rest in one text, so that both are compared.
    private static string ReadLegacyDestination(ReadOnlySpan<byte> bytes)
    {
        LegacyDestination destination = LegacyDestination.Read(bytes);
        return $"{destination.Name} {Convert.ToHexString(destination.Rpc)}";
    }

    private static void WriteLegacyDestination(string value, IBufferWriter<byte> output)
    {
        string[] parts = value.Split(' ');
        var writer = new ByteWriter(output);
        writer.WriteZigZag(parts[0].Length);
        writer.WriteBytes(System.Text.Encoding.ASCII.GetBytes(parts[0]));
        writer.WriteBytes(Convert.FromHexString(parts[1]));
    }

    // Spans cannot be kept: id and content in one text.
    private static string ReadQuery(ReadOnlySpan<byte> bytes)
    {
        QueryRequest query = QueryRequest.Read(bytes);
        return $"{query.Id} {Convert.ToHexString(query.Rpc)}";
    }

    private static void WriteQuery(string value, IBufferWriter<byte> output)
    {
        string[] parts = value.Split(' ');
        output.Write(QueryRequest.Write(ulong.Parse(parts[0], CultureInfo.InvariantCulture), Convert.FromHexString(parts[1])));
    }

    private static string ReadReply(ReadOnlySpan<byte> bytes)
    {
        QueryReply reply = QueryReply.Read(bytes);
        return $"{reply.Id} {reply.Status} {Convert.ToHexString(reply.Body)}";
    }

    private static void WriteReply(string value, IBufferWriter<byte> output)
    {
        string[] parts = value.Split(' ');
        QueryReply.Write(output, ulong.Parse(parts[0], CultureInfo.InvariantCulture), Enum.Parse<QueryStatus>(parts[1]),
            Convert.FromHexString(parts[2]));
    }

    private static byte[] Segment() =>
        new SegmentHeader { InstanceId = s_id, Number = 3, Epoch = new Epoch(4), FirstLsn = new Lsn(5), PreviousTimestamp = 6,
            PreviousCrc = 7, CreatedAt = 8, Instance = "bank", Cluster = "zone-1" }.ToBytes();

    private static byte[] Checkpoint() => new CheckpointHeader
        { InstanceId = s_id, Lsn = new Lsn(5), Epoch = new Epoch(4), CreatedAt = 8, Instance = "bank", Cluster = "zone-1" }.ToBytes();

    private static byte[] PoisonedHead()
    {
        var head = new CheckpointHead();
        byte[] message = [10, 0, 0, 6, 1, 0x90];
        head.Poison.Apply([QuarantineStep.Of(PoisonStep.Quarantined, new MessagePosition(5, 1), "people", "it kills") with
            { Letter = new DeadLetter(new MessagePosition(5, 1), "shop", message) }], new Lsn(8), 99);
        head.Poison.Apply([QuarantineStep.Of(PoisonStep.Suspected, new MessagePosition(7, 0), "died", deaths: 2)], new Lsn(9), 100);
        var bytes = new ArrayBufferWriter<byte>();
        head.Write(bytes, Lsn.None);
        return bytes.WrittenSpan.ToArray();
    }

    private static byte[] Head(int entries)
    {
        var head = new CheckpointHead { EntryCount = entries };
        for (int i = 0; i < entries; i++)
        {
            head.Inputs.Add(new Ambrosia.Coordinator.Records.InputWatermark($"shop{i}", Guid.Empty, new Watermark(5, 4, 1)));
            head.Outputs.Add(new OutputWatermark($"shop{i}", ulong.MaxValue, 3, 2, new Guid("11111111-2222-3333-4444-555555555555")));
        }

        var bytes = new ArrayBufferWriter<byte>();
        head.Write(bytes, Lsn.None);
        return bytes.WrittenSpan.ToArray();
    }
}
