using System.Buffers;
using Ambrosia.Protocol.Tests.Support;
using FsCheck.Xunit;
using Name = Ambrosia.Protocol.Tests.Support.Drawn.Name;
using Rpc = Ambrosia.Protocol.Tests.Support.Drawn.Rpc;

namespace Ambrosia.Protocol.Tests;

/// <summary>What is written comes back, over hundreds of values drawn from a seed.</summary>
[ExploringProperties(Arbitrary = [typeof(Drawn)], Replay = "4,1", QuietOnSuccess = true)]
public sealed class RoundTripTests
{
    [Property]
    public void Hellos_of_bindings(BindingHello hello) => Assert.Equal(hello, BindingHello.Read(Decoders.Bytes(hello.Write)));

    [Property]
    public void Welcomes(BindingWelcome drawn, Name name)
    {
        BindingWelcome welcome = drawn with { Instance = name.Text, MaxMessageBytes = drawn.MaxMessageBytes & long.MaxValue,
            MaxTurnBytes = drawn.MaxTurnBytes & long.MaxValue };
        Assert.Equal(welcome, BindingWelcome.Read(Decoders.Bytes(welcome.Write)));
    }

    [Property]
    public void Refusals_cut_to_what_a_handshake_may_hold(string text)
    {
        var refused = new BindingRefused("IC-4002", string.Concat(Enumerable.Repeat(text, 5)));
        BindingRefused read = BindingRefused.Read(Decoders.Bytes(refused.Write));
        Assert.Equal(refused.Code, read.Code);
        Assert.StartsWith(read.Reason[..Math.Min(299, read.Reason.Length)], refused.Reason, StringComparison.Ordinal);
    }

    [Property]
    public void Records(RecordInfo drawn)
    {
        RecordInfo info = drawn with { MessageCount = drawn.MessageCount & int.MaxValue, PayloadSize = drawn.PayloadSize & int.MaxValue };
        byte[] room = new byte[RecordInfo.MaxSize];
        Assert.Equal(info, RecordInfo.Read(room.AsSpan(0, info.Write(room))));
    }

    [Property]
    public void Progress_of_apps(Progress drawn)
    {
        Progress progress = drawn with { MessagesDone = drawn.MessagesDone & int.MaxValue };
        byte[] room = new byte[Progress.MaxSize];
        Assert.Equal(progress, Progress.Read(room.AsSpan(0, progress.Write(room))));
    }

    [Property]
    public void Record_headers_of_the_legacy_pair(LogRecordHeader drawn)
    {
        LogRecordHeader header = drawn with { RecordSize = Math.Max(LogRecordHeader.Size, drawn.RecordSize & int.MaxValue) };
        byte[] room = new byte[LogRecordHeader.Size];
        header.Write(room);
        Assert.Equal(header, LogRecordHeader.Read(room));
    }

    [Property]
    public void Destinations(ulong index, Name? name)
    {
        var destination = new DestinationName(index, name?.Text ?? "");
        Assert.Equal(destination, DestinationName.Read(Decoders.Bytes(destination.Write)));
    }

    [Property]
    public void Faults(HandlerFault fault) => Assert.Equal(fault, HandlerFault.Read(Decoders.Bytes(fault.Write)));

    [Property]
    public void Hellos_of_peers(PeerHello drawn, Name from, Name to)
    {
        PeerHello hello = drawn with { From = from.Text, To = to.Text };
        Assert.Equal(hello, PeerHello.Read(Decoders.Bytes(hello.Write)));
    }

    [Property]
    public void Answers_of_peers(PeerAnswer drawn)
    {
        PeerAnswer answer = drawn with
            { Durable = drawn.Durable with { Replayable = Math.Min(drawn.Durable.Replayable, drawn.Durable.Total) } };
        Assert.Equal(answer, PeerAnswer.Read(Decoders.Bytes(answer.Write)));
    }

    [Property]
    public void Gaps(PeerGap drawn)
    {
        PeerGap gap = drawn with { Count = Math.Max(1, drawn.Count) };
        Assert.Equal(gap, PeerGap.Read(Decoders.Bytes(gap.Write)));
    }

    [Property]
    public void Goodbyes_of_peers(bool retry, string reason)
    {
        var goodbye = new PeerGoodbye("IC-3002", retry, reason);
        Assert.Equal(goodbye, PeerGoodbye.Read(Decoders.Bytes(goodbye.Write)));
    }

    [Property]
    public void Rpcs_of_every_form_and_kind(Rpc drawn)
    {
        var scanner = new MessageScanner(drawn.Message);
        Assert.True(scanner.MoveNext());
        RpcHeader rpc = RpcHeader.Read(scanner.Data);
        byte[] again = Messages.RpcData(rpc.Form, rpc.MethodId, rpc.Kind, rpc.CallerName, rpc.CallNumber, rpc.Body.ToArray());
        Assert.Equal(scanner.Data.ToArray(), again);
    }

    [Property]
    public void Batch_headers_over_any_cut(ulong first, ulong firstReplayable, Rpc[] messages, uint cut, uint early)
    {
        byte[] run = [.. messages.SelectMany(static m => m.Message)];
        (int count, int replayable) = MessageScanner.Count(run);
        var header = new BatchHeader(first, firstReplayable, count, replayable);
        var outputs = new RunHeader(first, count);
        byte[] batch = [.. Decoders.Bytes(b => header.Write(b)), .. run];
        byte[] output = [.. Decoders.Bytes(b => outputs.Write(b)), .. run];

        Assert.Equal(header, BatchHeader.Read(Pieces.Cut(batch, (int)(cut % batch.Length), (int)(early % Math.Min(8, batch.Length))),
            out ReadOnlySequence<byte> inBatch));
        Assert.Equal(outputs, RunHeader.Read(Pieces.Cut(output, (int)(cut % output.Length), (int)(early % Math.Min(4, output.Length))),
            out ReadOnlySequence<byte> inOutput));
        Assert.Equal(run, inBatch.ToArray());
        Assert.Equal(run, inOutput.ToArray());
    }
}
