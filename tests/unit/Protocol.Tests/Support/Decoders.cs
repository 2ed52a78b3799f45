using System.Buffers;
using System.Text;
using Ambrosia.Primitives;

namespace Ambrosia.Protocol.Tests.Support;

/// <summary>The parsers of src/Protocol by the names that docs/internals/protocol.md and the vectors give to the structures.</summary>
internal static class Decoders
{
    private const int BatchLimit = 1 << 20;

    /// <summary>Decodes the whole of the bytes or throws <see cref="ProtocolException"/>.</summary>
    public static IReadOnlyDictionary<string, Func<byte[], Fields>> All { get; } = new Dictionary<string, Func<byte[], Fields>>
    {
        ["varint"] = ReadVarint,
        ["zigzag"] = ReadZigZag,
        ["string"] = ReadString,
        ["name"] = ReadName,
        ["crc32c"] = bytes => new Fields { ["value"] = Crc32C.Compute(bytes) },
        ["message"] = ReadMessage,
        ["run"] = ReadRun,
        ["rpc"] = ReadRpc,
        ["legacy-rpc"] = ReadLegacyRpc,
        ["record-header"] = ReadRecordHeader,
        ["legacy-record"] = ReadLegacyRecord,
        ["legacy-reply"] = ReadLegacyReply,
        ["initial-message"] = ReadInitialMessage,
        ["binding-hello"] = ReadBindingHello,
        ["welcome"] = ReadWelcome,
        ["refused"] = ReadRefused,
        ["record-info"] = ReadRecordInfo,
        ["progress"] = ReadProgress,
        ["turn-running"] = ReadTurnRunning,
        ["state-version"] = ReadStateVersion,
        ["upgrade-failure"] = ReadUpgradeFailure,
        ["checkpoint-declined"] = ReadCheckpointDeclined,
        ["skip"] = ReadSkip,
        ["part"] = ReadPart,
        ["limits"] = ReadLimits,
        ["contract"] = ReadContract,
        ["shapes"] = ReadShapes,
        ["effects"] = ReadEffects,
        ["effect-asked"] = ReadEffectAsked,
        ["routines"] = ReadRoutines,
        ["schedule-step"] = ReadScheduleStep,
        ["query"] = ReadQuery,
        ["query-reply"] = ReadQueryReply,
        ["output-run"] = ReadOutputRun,
        ["destination"] = ReadDestination,
        ["handler-fault"] = ReadHandlerFault,
        ["frame"] = ReadFrame,
        ["peer-hello"] = ReadPeerHello,
        ["answer"] = ReadAnswer,
        ["goodbye"] = ReadGoodbye,
        ["gap"] = ReadGap,
        ["batch"] = ReadBatch,
    };

    /// <summary>The bytes that an encoder writes.</summary>
    public static byte[] Bytes(Action<ArrayBufferWriter<byte>> write)
    {
        var output = new ArrayBufferWriter<byte>();
        write(output);
        return output.WrittenSpan.ToArray();
    }

    /// <summary>The bytes that an encoder into a span writes.</summary>
    public static byte[] Bytes(Func<byte[], int> write)
    {
        byte[] room = new byte[128];
        return room[..write(room)];
    }

    private static Fields ReadVarint(byte[] bytes)
    {
        var reader = new ByteReader(bytes);
        ulong value = reader.ReadVarint("varint");
        reader.ExpectEnd("varint");
        return new Fields { Encoded = Bytes(b => Varint.Write(b, value)), ["value"] = value };
    }

    private static Fields ReadZigZag(byte[] bytes)
    {
        var reader = new ByteReader(bytes);
        long value = reader.ReadZigZag("zigzag");
        reader.ExpectEnd("zigzag");
        return new Fields { Encoded = Bytes(b => Varint.WriteZigZag(b, value)), ["value"] = value };
    }

    private static Fields ReadString(byte[] bytes)
    {
        var reader = new ByteReader(bytes);
        string value = reader.ReadString(FrameLimits.HandshakeString, "string");
        reader.ExpectEnd("string");
        return new Fields { Encoded = Bytes(output => new ByteWriter(output).WriteString(value)), ["value"] = value };
    }

    private static Fields ReadName(byte[] bytes)
    {
        string name = Encoding.UTF8.GetString(bytes);
        bool valid = InstanceName.IsValid(name);
        Assert.Equal(valid, InstanceName.IsValid(bytes));
        return valid
            ? new Fields { Encoded = Encoding.UTF8.GetBytes(name), ["value"] = name }
            : throw new ProtocolException("not an instance name", 0);
    }

    private static Fields ReadMessage(byte[] bytes)
    {
        var scanner = new MessageScanner(bytes);
        Assert.True(scanner.MoveNext());
        byte[] data = scanner.Data.ToArray();
        byte type = (byte)scanner.Type;
        Assert.False(scanner.MoveNext());
        return new Fields { Encoded = Messages.Message(type, data), ["type"] = type, ["data"] = data };
    }

    private static Fields ReadRun(byte[] bytes)
    {
        (int count, int replayable) = MessageScanner.Count(bytes);
        return new Fields { ["count"] = count, ["replayable"] = replayable };
    }

    private static Fields ReadRpc(byte[] bytes)
    {
        RpcHeader header = RpcHeader.Read(bytes);
        Assert.Equal(header is { Form: RpcForm.Call, Kind: RpcKind.Impulse }, RpcHeader.IsImpulse(bytes));
        return new Fields
        {
            Encoded = Messages.RpcData(header.Form, header.MethodId, header.Kind, header.CallerName, header.CallNumber,
                header.Body.ToArray()),
            ["form"] = (byte)header.Form,
            ["method"] = header.MethodId,
            ["kind"] = (byte)header.Kind,
            ["caller"] = header.CallerName,
            ["call"] = header.CallNumber,
            ["body"] = header.Body.ToArray(),
        };
    }

    private static Fields ReadLegacyRpc(byte[] bytes)
    {
        LegacyDestination destination = LegacyDestination.Read(bytes);
        return new Fields { ["destination"] = destination.Name, ["rpc"] = destination.Rpc.ToArray() };
    }

    private static Fields ReadRecordHeader(byte[] bytes)
    {
        LogRecordHeader header = LogRecordHeader.Read(bytes);
        byte[] encoded = new byte[LogRecordHeader.Size];
        header.Write(encoded);
        return new Fields
        {
            Encoded = encoded,
            ["committer"] = header.CommitterId,
            ["size"] = header.RecordSize,
            ["check"] = header.Check,
            ["id"] = header.RecordId,
        };
    }

    private static Fields ReadLegacyRecord(byte[] bytes)
    {
        LogRecordHeader header = LogRecordHeader.Read(bytes);
        ReadOnlySpan<byte> rest = bytes.AsSpan(LogRecordHeader.Size, header.RecordSize - LogRecordHeader.Size);
        Assert.Equal(header.Check, Crc32C.Compute(rest));
        var scanner = new MessageScanner(rest);
        int count = 0;
        while (scanner.MoveNext())
        {
            count++;
        }

        return new Fields { ["id"] = header.RecordId, ["messages"] = count };
    }

    private static Fields ReadLegacyReply(byte[] bytes)
    {
        LegacyReply reply = LegacyReply.Read(bytes);
        if (!LegacyReply.Is(bytes))
        {
            throw new ProtocolException("a reply in delivery form", 0);
        }

        byte[] logged = reply.ToDeliveryForm();
        var scanner = new MessageScanner(logged);
        Assert.True(scanner.MoveNext());
        Assert.False(LegacyReply.Is(scanner.Data));
        return new Fields
        {
            Encoded = LegacyReply.FromDeliveryForm(RpcHeader.Read(scanner.Data), reply.Sender),
            ["form"] = (byte)reply.Form,
            ["sender"] = System.Text.Encoding.UTF8.GetString(reply.Sender),
            ["call"] = reply.CallNumber,
            ["value"] = reply.Value.ToArray(),
        };
    }

    private static Fields ReadInitialMessage(byte[] bytes)
    {
        var scanner = new MessageScanner(bytes);
        if (!scanner.MoveNext() || scanner.Type != BindingMessageType.InitialMessage)
        {
            throw new ProtocolException("no initial message", 0);
        }

        byte[] logged = LegacyInitialMessage.ToDeliveryForm(scanner.Data);
        var log = new MessageScanner(logged);
        Assert.True(log.MoveNext());
        Assert.True(LegacyInitialMessage.TryRead(log.Data, out ReadOnlySpan<byte> data));
        Assert.Equal(scanner.Data, data);
        return new Fields { ["data"] = data.ToArray(), ["logged"] = logged };
    }

    private static Fields ReadBindingHello(byte[] bytes)
    {
        BindingHello hello = BindingHello.Read(bytes);
        return new Fields
        {
            Encoded = Bytes(hello.Write),
            ["minVersion"] = hello.MinVersion,
            ["maxVersion"] = hello.MaxVersion,
            ["features"] = hello.Features,
            ["incarnation"] = hello.Incarnation,
            ["binding"] = hello.Binding,
            ["appVersion"] = hello.AppVersion,
            ["interfaceHash"] = hello.InterfaceHash,
            ["buildFingerprint"] = hello.BuildFingerprint,
            ["instance"] = hello.Instance,
            ["token"] = hello.Token,
        };
    }

    private static Fields ReadWelcome(byte[] bytes)
    {
        BindingWelcome welcome = BindingWelcome.Read(bytes);
        return new Fields
        {
            Encoded = Bytes(welcome.Write),
            ["version"] = welcome.Version,
            ["features"] = welcome.Features,
            ["mode"] = (byte)welcome.Mode,
            ["epoch"] = welcome.Epoch,
            ["instanceId"] = welcome.InstanceId,
            ["instance"] = welcome.Instance,
            ["maxMessageBytes"] = welcome.MaxMessageBytes,
            ["maxTurnBytes"] = welcome.MaxTurnBytes,
        };
    }

    private static Fields ReadRefused(byte[] bytes)
    {
        BindingRefused refused = BindingRefused.Read(bytes);
        return new Fields { Encoded = Bytes(refused.Write), ["code"] = refused.Code, ["reason"] = refused.Reason };
    }

    private static Fields ReadRecordInfo(byte[] bytes)
    {
        RecordInfo info = RecordInfo.Read(bytes);
        return new Fields
        {
            Encoded = Bytes(b => info.Write(b)),
            ["lsn"] = info.Lsn,
            ["epoch"] = info.Epoch,
            ["timestamp"] = info.Timestamp,
            ["messages"] = info.MessageCount,
            ["payload"] = info.PayloadSize,
            ["flags"] = info.Flags,
        };
    }

    private static Fields ReadProgress(byte[] bytes)
    {
        Progress progress = Progress.Read(bytes);
        return new Fields
        {
            Encoded = Bytes(b => progress.Write(b)),
            ["lsn"] = progress.Lsn,
            ["done"] = progress.MessagesDone,
            ["complete"] = progress.RecordComplete,
        };
    }

    private static Fields ReadTurnRunning(byte[] bytes)
    {
        TurnRunning turn = TurnRunning.Read(bytes);
        byte[] encoded = new byte[TurnRunning.MaxSize];
        return new Fields
        {
            Encoded = encoded[..turn.Write(encoded)],
            ["lsn"] = turn.Position.Lsn,
            ["index"] = turn.Position.Index,
            ["method"] = turn.MethodId,
        };
    }

    private static Fields ReadStateVersion(byte[] bytes)
    {
        StateVersion version = StateVersion.Read(bytes);
        return new Fields { Encoded = Bytes(version.Write), ["version"] = version.Version, ["goal"] = version.Goal };
    }

    private static Fields ReadCheckpointDeclined(byte[] bytes)
    {
        CheckpointDeclined declined = CheckpointDeclined.Read(bytes);
        return new Fields { Encoded = Bytes(declined.Write), ["reason"] = declined.Reason };
    }

    private static Fields ReadShapes(byte[] bytes)
    {
        BindingShapes shapes = BindingShapes.Read(bytes);
        return new Fields { Encoded = Bytes(shapes.Write), ["text"] = shapes.Text };
    }

    private static Fields ReadContract(byte[] bytes)
    {
        BindingContract contract = BindingContract.Read(bytes);
        return new Fields { Encoded = Bytes(contract.Write), ["text"] = contract.Text };
    }

    private static Fields ReadEffects(byte[] bytes)
    {
        EffectsTold told = EffectsTold.Read(bytes);
        var fields = new Fields { Encoded = Bytes(told.Write), ["methods"] = told.Methods.Count };
        foreach (EffectMethodTold method in told.Methods.Take(1))
        {
            (fields["method"], fields["oldest"], fields["error"]) = (method.Method, method.Oldest, method.LastError);
            (fields["pending"], fields["running"], fields["asked"]) = (method.Pending, method.Running, method.Asked);
            (fields["attempts"], fields["failures"], fields["held"]) = (method.Attempts, method.Failures, method.Held);
        }

        return fields;
    }

    private static Fields ReadEffectAsked(byte[] bytes)
    {
        EffectAsked asked = EffectAsked.Read(bytes);
        return new Fields
        {
            Encoded = Bytes(asked.Write), ["lsn"] = asked.Lsn, ["index"] = asked.Index, ["ordinal"] = asked.Ordinal, ["hash"] = asked.Hash,
            ["method"] = asked.MethodId, ["name"] = asked.Name, ["arguments"] = asked.Arguments.ToArray(),
        };
    }

    private static Fields ReadRoutines(byte[] bytes)
    {
        RoutinesTold told = RoutinesTold.Read(bytes);
        var fields = new Fields { Encoded = Bytes(told.Write), ["schedules"] = told.Schedules.Count, ["sagas"] = told.Compensations.Count };
        foreach (ScheduleTold schedule in told.Schedules.Take(1))
        {
            (fields["name"], fields["expression"], fields["zone"]) = (schedule.Name, schedule.Expression, schedule.TimeZone);
            (fields["missed"], fields["next"], fields["last"]) = (schedule.Missed, schedule.Next, schedule.Last);
            (fields["runs"], fields["leftOut"], fields["trouble"]) = (schedule.Runs, schedule.LeftOut, schedule.Trouble);
        }

        foreach (CompensationTold saga in told.Compensations.Take(1))
        {
            (fields["saga"], fields["step"], fields["left"]) = (saga.Saga, saga.Step, saga.Left);
            (fields["attempts"], fields["nextAttempt"], fields["error"]) = (saga.Attempts, saga.NextAttempt, saga.LastError);
        }

        return fields;
    }

    private static Fields ReadScheduleStep(byte[] bytes)
    {
        ScheduleStep step = ScheduleStep.Read(bytes);
        return new Fields
        {
            Encoded = step.ToImpulse()[3..], ["name"] = step.Name, ["lsn"] = step.Lsn, ["index"] = step.Index, ["expected"] = step.Expected,
            ["run"] = step.Run, ["handled"] = step.Handled, ["leftOut"] = step.LeftOut, ["next"] = step.Next, ["trouble"] = step.Trouble,
        };
    }

    private static Fields ReadUpgradeFailure(byte[] bytes)
    {
        UpgradeFailure failure = UpgradeFailure.Read(bytes);
        return new Fields { Encoded = Bytes(failure.Write), ["mayPass"] = failure.MayPass, ["reason"] = failure.Reason };
    }

    private static Fields ReadSkip(byte[] bytes)
    {
        MessagePosition position = MessagePosition.ReadSkip(bytes);
        byte[] encoded = new byte[MessagePosition.MaxSize];
        return new Fields { Encoded = encoded[..position.Write(encoded)], ["lsn"] = position.Lsn, ["index"] = position.Index };
    }

    private static Fields ReadPart(byte[] bytes)
    {
        RecordPart part = RecordPart.Read(bytes);
        byte[] encoded = new byte[RecordPart.MaxSize];
        return new Fields { Encoded = encoded[..part.Write(encoded)], ["firstIndex"] = part.FirstIndex,
            ["moreFollows"] = part.MoreFollows };
    }

    private static Fields ReadLimits(byte[] bytes)
    {
        HandlerLimits limits = HandlerLimits.Read(bytes);
        byte[] encoded = new byte[HandlerLimits.MaxSize];
        return new Fields { Encoded = encoded[..limits.Write(encoded)], ["maxMessageBytes"] = limits.MaxMessageBytes };
    }

    private static Fields ReadQuery(byte[] bytes)
    {
        QueryRequest query = QueryRequest.Read(bytes);
        return new Fields { Encoded = QueryRequest.Write(query.Id, query.Rpc), ["id"] = query.Id, ["rpc"] = query.Rpc.ToArray() };
    }

    private static Fields ReadQueryReply(byte[] bytes)
    {
        QueryReply reply = QueryReply.Read(bytes);
        (ulong id, QueryStatus status, byte[] body) = (reply.Id, reply.Status, reply.Body.ToArray());
        return new Fields { Encoded = Bytes(b => QueryReply.Write(b, id, status, body)), ["id"] = id, ["status"] = (byte)status,
            ["bytes"] = body };
    }

    private static Fields ReadOutputRun(byte[] bytes)
    {
        RunHeader header = RunHeader.Read(new ReadOnlySequence<byte>(bytes), out ReadOnlySequence<byte> messages);
        byte[] run = messages.ToArray();
        (int count, int replayable) = MessageScanner.Count(run);
        if (count != header.Count)
        {
            throw new ProtocolException("count differs", 0);
        }

        return new Fields
        {
            Encoded = [.. Bytes(b => header.Write(b)), .. run],
            ["index"] = header.Destination,
            ["count"] = count,
            ["replayable"] = replayable,
        };
    }

    private static Fields ReadDestination(byte[] bytes)
    {
        DestinationName destination = DestinationName.Read(bytes);
        return new Fields { Encoded = Bytes(destination.Write), ["index"] = destination.Index, ["destination"] = destination.Name };
    }

    private static Fields ReadHandlerFault(byte[] bytes)
    {
        HandlerFault fault = HandlerFault.Read(bytes);
        return new Fields
        {
            Encoded = Bytes(fault.Write),
            ["lsn"] = fault.Lsn,
            ["index"] = fault.Index,
            ["method"] = fault.MethodId,
            ["text"] = fault.Text,
        };
    }

    private static Fields ReadFrame(byte[] bytes)
    {
        var buffer = new ReadOnlySequence<byte>(bytes);
        if (!FrameReader.TryRead(ref buffer, FrameLimits.SmallBody, out FrameHeader header, out ReadOnlySequence<byte> body))
        {
            throw new ProtocolException("more bytes are needed", bytes.Length);
        }

        if (!buffer.IsEmpty)
        {
            throw new ProtocolException("bytes behind the frame", bytes.Length - buffer.Length);
        }

        byte[] encoded = [.. new byte[FrameHeader.Size], .. body.ToArray()];
        FrameHeader.Write(encoded, header.Kind, body.ToArray());
        return new Fields { Encoded = encoded, ["kind"] = (byte)header.Kind, ["body"] = body.ToArray() };
    }

    private static Fields ReadPeerHello(byte[] bytes)
    {
        PeerHello hello = PeerHello.Read(bytes);
        return new Fields
        {
            Encoded = Bytes(hello.Write),
            ["version"] = hello.Version,
            ["channel"] = (byte)hello.Channel,
            ["cluster"] = hello.Cluster,
            ["from"] = hello.From,
            ["to"] = hello.To,
            ["fromId"] = hello.FromId,
            ["toId"] = hello.ToId,
            ["epoch"] = hello.Epoch,
            ["generation"] = hello.Generation,
        };
    }

    private static Fields ReadAnswer(byte[] bytes)
    {
        PeerAnswer answer = PeerAnswer.Read(bytes);
        return new Fields
        {
            Encoded = Bytes(answer.Write),
            ["total"] = answer.Durable.Total,
            ["replayable"] = answer.Durable.Replayable,
            ["senderEpoch"] = answer.Durable.SenderEpoch,
            ["receiverEpoch"] = answer.ReceiverEpoch,
            ["receiverId"] = answer.ReceiverId,
        };
    }

    private static Fields ReadGoodbye(byte[] bytes)
    {
        PeerGoodbye goodbye = PeerGoodbye.Read(bytes);
        return new Fields { Encoded = Bytes(goodbye.Write), ["code"] = goodbye.Code, ["retry"] = goodbye.Retry,
            ["reason"] = goodbye.Reason };
    }

    private static Fields ReadGap(byte[] bytes)
    {
        PeerGap gap = PeerGap.Read(bytes);
        return new Fields
        {
            Encoded = Bytes(gap.Write),
            ["firstTotal"] = gap.FirstTotal,
            ["firstReplayable"] = gap.FirstReplayable,
            ["count"] = gap.Count,
        };
    }

    private static Fields ReadBatch(byte[] bytes)
    {
        Assert.True(bytes.Length < BatchLimit);
        BatchHeader header = BatchHeader.Read(new ReadOnlySequence<byte>(bytes), out ReadOnlySequence<byte> messages);
        byte[] run = messages.ToArray();
        if (MessageScanner.Count(run) != (header.Count, header.ReplayableCount))
        {
            throw new ProtocolException("counts differ", 0);
        }

        return new Fields
        {
            Encoded = [.. Bytes(b => header.Write(b)), .. run],
            ["firstTotal"] = header.FirstTotal,
            ["firstReplayable"] = header.FirstReplayable,
            ["count"] = header.Count,
            ["replayable"] = header.ReplayableCount,
            ["messages"] = run,
        };
    }
}
