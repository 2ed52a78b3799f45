using System.Buffers;
using System.Text;
using Ambrosia.Primitives;
using Ambrosia.Protocol.Tests.Support;

namespace Ambrosia.Protocol.Tests;

/// <summary>What is written comes back, over thousands of seeded random values.</summary>
public sealed class RoundTripTests
{
    private const int Rounds = 2_000;
    private readonly Random _random = new(4);

    [Fact]
    public void Hellos_of_bindings() => Repeat(() =>
    {
        var hello = new BindingHello(Number(), Number(), Number(), Id(), Text(200), Text(200), Text(100), Text(100), Text(63), Text(300));
        Assert.Equal(hello, BindingHello.Read(Decoders.Bytes(hello.Write)));
    });

    [Fact]
    public void Welcomes() => Repeat(() =>
    {
        var welcome = new BindingWelcome(Number(), Number(), (BindingMode)_random.Next(6), Number(), Id(), Name(), _random.NextInt64(), _random.NextInt64());
        Assert.Equal(welcome, BindingWelcome.Read(Decoders.Bytes(welcome.Write)));
    });

    [Fact]
    public void Refusals_cut_to_what_a_handshake_may_hold() => Repeat(() =>
    {
        var refused = new BindingRefused("IC-4002", Text(700));
        BindingRefused read = BindingRefused.Read(Decoders.Bytes(refused.Write));
        Assert.Equal(refused.Code, read.Code);
        Assert.StartsWith(read.Reason[..Math.Min(299, read.Reason.Length)], refused.Reason, StringComparison.Ordinal);
    });

    [Fact]
    public void Records_and_progress() => Repeat(() =>
    {
        var info = new RecordInfo(Number(), Number(), (long)Number(), _random.Next(), _random.Next(), (byte)_random.Next(256));
        var progress = new Progress(Number(), _random.Next(), _random.Next(2) == 0);
        byte[] room = new byte[RecordInfo.MaxSize];
        Assert.Equal(info, RecordInfo.Read(room.AsSpan(0, info.Write(room))));
        Assert.Equal(progress, Progress.Read(room.AsSpan(0, progress.Write(room))));
    });

    [Fact]
    public void Record_headers_of_the_legacy_pair() => Repeat(() =>
    {
        var header = new LogRecordHeader(_random.Next(int.MinValue, int.MaxValue), _random.Next(24, int.MaxValue), (long)Number(), (long)Number());
        byte[] room = new byte[LogRecordHeader.Size];
        header.Write(room);
        Assert.Equal(header, LogRecordHeader.Read(room));
    });

    [Fact]
    public void Destinations_and_faults() => Repeat(() =>
    {
        var destination = new DestinationName(Number(), _random.Next(5) == 0 ? "" : Name());
        var fault = new HandlerFault(Number(), Number(), _random.Next(int.MinValue, int.MaxValue), Text(2000));
        Assert.Equal(destination, DestinationName.Read(Decoders.Bytes(destination.Write)));
        Assert.Equal(fault, HandlerFault.Read(Decoders.Bytes(fault.Write)));
    });

    [Fact]
    public void Hellos_answers_and_goodbyes_of_peers() => Repeat(() =>
    {
        var hello = new PeerHello(Number(), (PeerChannel)_random.Next(2), Text(200), Name(), Name(), Id(), Id(), Number(), Number());
        ulong total = Number();
        var answer = new PeerAnswer(new Watermark(total, total / 3, Number()), Number(), Id());
        var goodbye = new PeerGoodbye("IC-3002", _random.Next(2) == 0, Text(290));
        Assert.Equal(hello, PeerHello.Read(Decoders.Bytes(hello.Write)));
        Assert.Equal(answer, PeerAnswer.Read(Decoders.Bytes(answer.Write)));
        var gap = new PeerGap(Number(), Number(), Math.Max(1, Number()));
        Assert.Equal(gap, PeerGap.Read(Decoders.Bytes(gap.Write)));
        Assert.Equal(goodbye, PeerGoodbye.Read(Decoders.Bytes(goodbye.Write)));
    });

    [Fact]
    public void Rpcs_of_every_form_and_kind() => Repeat(() =>
    {
        byte[] message = Messages.Random(_random);
        var scanner = new MessageScanner(message);
        Assert.True(scanner.MoveNext());
        RpcHeader rpc = RpcHeader.Read(scanner.Data);
        byte[] again = Messages.RpcData(rpc.Form, rpc.MethodId, rpc.Kind, rpc.CallerName, rpc.CallNumber, rpc.Body.ToArray());
        Assert.Equal(scanner.Data.ToArray(), again);
    });

    [Fact]
    public void Batch_headers_over_any_cut() => Repeat(() =>
    {
        byte[] run = [.. Enumerable.Range(0, _random.Next(5)).SelectMany(_ => Messages.Random(_random))];
        (int count, int replayable) = MessageScanner.Count(run);
        var header = new BatchHeader(Number(), Number(), count, replayable);
        var outputs = new RunHeader(Number(), count);
        byte[] batch = [.. Decoders.Bytes(b => header.Write(b)), .. run];
        byte[] output = [.. Decoders.Bytes(b => outputs.Write(b)), .. run];

        Assert.Equal(header, BatchHeader.Read(Pieces.Cut(batch, _random.Next(batch.Length), _random.Next(Math.Min(8, batch.Length))), out ReadOnlySequence<byte> inBatch));
        Assert.Equal(outputs, RunHeader.Read(Pieces.Cut(output, _random.Next(output.Length), _random.Next(Math.Min(4, output.Length))), out ReadOnlySequence<byte> inOutput));
        Assert.Equal(run, inBatch.ToArray());
        Assert.Equal(run, inOutput.ToArray());
    });

    private void Repeat(Action round)
    {
        for (int i = 0; i < Rounds; i++)
        {
            round();
        }
    }

    private ulong Number() => (ulong)_random.NextInt64(long.MinValue, long.MaxValue) >> _random.Next(64);

    private Guid Id()
    {
        byte[] bytes = new byte[16];
        _random.NextBytes(bytes);
        return new Guid(bytes);
    }

    private string Name() => "n" + new string('x', _random.Next(InstanceName.MaxLength));

    private string Text(int maxBytes)
    {
        var text = new StringBuilder();
        int bytes = _random.Next(maxBytes + 1);
        while (bytes > 0)
        {
            Rune rune = _random.Next(3) switch { 0 => new Rune('a'), 1 => new Rune(0x00FC), _ => new Rune(0x1F98E) };
            bytes -= rune.Utf8SequenceLength;
            text.Append(bytes >= 0 ? rune.ToString() : "");
        }

        return text.ToString();
    }
}
