using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>An app that says what the test tells it to, in version 2 of the binding link.</summary>
public sealed class ScriptedApp : IAsyncDisposable
{
    private readonly IConnection _connection;

    private ScriptedApp(IConnection connection) => _connection = connection;

    public static BindingHello Hello { get; } =
        new(2, 2, 0, new Guid("11111111-2222-3333-4444-555555555555"), "scripted 1", "7", "", "", "bank", "");

    public static Task<ScriptedApp> ConnectAsync(ITransport transport) => ConnectAsync(transport, CoreUnderTest.AppAddress);

    public static async Task<ScriptedApp> ConnectAsync(ITransport transport, EndPointName address) =>
        new(await transport.ConnectAsync(address, default));

    public async Task SayAsync(BindingMessageType type, Action<IBufferWriter<byte>> write)
    {
        var data = new ArrayBufferWriter<byte>();
        write(data);
        Version2Framing.WriteMessage(_connection.Output, type, data.WrittenSpan);
        await _connection.Output.FlushAsync();
    }

    public async Task SayBytesAsync(byte[] bytes)
    {
        _connection.Output.Write(bytes);
        await _connection.Output.FlushAsync();
    }

    /// <summary>Reads up to and including the next message of a type, and returns its data. One of a type that must not come before it
    /// fails the test.</summary>
    public async Task<byte[]> HearAsync(BindingMessageType wanted, BindingMessageType? before = null)
    {
        while (true)
        {
            ReadResult result = await _connection.Input.ReadAsync().AsTask().OrFail();
            byte[] all = result.Buffer.ToArray();
            int taken = Take(all, wanted, before, out byte[]? data);
            SequencePosition consumed = result.Buffer.GetPosition(taken);
            _connection.Input.AdvanceTo(consumed, data is null ? result.Buffer.End : consumed);
            if (data is not null)
            {
                return data;
            }

            if (result.IsCompleted)
            {
                throw new EndOfStreamException($"the coordinator ended the connection without {wanted}");
            }
        }
    }

    public async Task<BindingRefused> HearRefusalAsync() =>
        BindingRefused.Read(await HearAsync(BindingMessageType.Refused, before: BindingMessageType.Welcome));

    /// <summary>Goes through a first start until the app is primary.</summary>
    public async Task BecomePrimaryAsync(BindingHello? hello = null)
    {
        await StartFirstAsync(hello);
        await SayAsync(BindingMessageType.BecomingPrimary, static _ => { });
    }

    /// <summary>Goes through a first start until the app was told to be primary, and has not said that it knows.</summary>
    public async Task StartFirstAsync(BindingHello? hello = null)
    {
        await AttachFirstAsync(hello);
        await AnswerFirstStartAsync();
    }

    /// <summary>Attaches as an instance's first app, up to where it is asked for the first checkpoint.</summary>
    public async Task AttachFirstAsync(BindingHello? hello = null)
    {
        await SayAsync(BindingMessageType.Hello, (hello ?? Hello).Write);
        BindingWelcome welcome = BindingWelcome.Read(await HearAsync(BindingMessageType.Welcome));
        Assert.Equal(BindingMode.FirstStart, welcome.Mode);
        await HearAsync(BindingMessageType.TakeBecomingPrimaryCheckpoint);
    }

    /// <summary>Gives the first checkpoint, and hears that it is primary.</summary>
    public async Task AnswerFirstStartAsync()
    {
        var initial = new ArrayBufferWriter<byte>();
        Version2Framing.WriteMessage(initial, BindingMessageType.Rpc, [0, 1, 1]); // Call of method -1, fork.
        await SayAsync(BindingMessageType.InitialMessage, output => output.Write(initial.WrittenSpan));
        await SayAsync(BindingMessageType.Checkpoint, static output => output.Write((ReadOnlySpan<byte>)[6])); // Three bytes follow.
        await SayBytesAsync([4, 79, 0]); // They look like a heartbeat, so that who reads the link message by message stays in step.
        await HearAsync(BindingMessageType.BecomingPrimary);
    }

    /// <summary>Reports the end of a record of one message.</summary>
    public Task DoneAsync(ulong lsn) =>
        SayAsync(BindingMessageType.Progress, output =>
            output.Advance(new Progress(lsn, 1, RecordComplete: true).Write(output.GetSpan(Progress.MaxSize))));

    /// <summary>Breaks the link, as the system does for a process that is killed.</summary>
    public void Abort() => _connection.Abort();

    public ValueTask DisposeAsync() => _connection.DisposeAsync();

    // Only the head of a batch is taken: its messages may come one by one.
    private static bool IsBatch(byte[] all, int offset) =>
        offset < all.Length && all[offset] == (byte)BindingMessageType.CountReplayableRpcBatch;

    private static int HeadOfBatch(ReadOnlySpan<byte> batch, int prefix)
    {
        var counts = new ByteReader(batch[(prefix + 1)..]);
        counts.ReadZigZag("count");
        counts.ReadZigZag("replayable");
        return prefix + 1 + counts.Offset;
    }

    private static int Take(byte[] all, BindingMessageType wanted, BindingMessageType? before, out byte[]? data)
    {
        int offset = 0;
        data = null;
        while (data is null
            && Varint.TryReadZigZag(all.AsSpan(offset), out long size, out int prefix)
            && (offset + prefix + size <= all.Length || IsBatch(all, offset + prefix)))
        {
            if (all[offset + prefix] == (byte)BindingMessageType.CountReplayableRpcBatch)
            {
                offset += HeadOfBatch(all.AsSpan(offset), prefix);
                continue;
            }

            Assert.NotEqual(before, (BindingMessageType)all[offset + prefix]);
            if ((BindingMessageType)all[offset + prefix] == wanted)
            {
                data = all.AsSpan(offset + prefix + 1, (int)size - 1).ToArray();
            }

            offset += prefix + (int)size;
        }

        return offset;
    }
}
