using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Memory;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.Fuzz.Tests.Sessions;

/// <summary>An app that keeps all the rules: it executes what it gets, sends nothing or one fork for each record, and says so. It counts
/// what it got.</summary>
internal sealed class GoodApp : IAsyncDisposable
{
    private readonly IConnection _connection;
    private readonly TaskCompletionSource _primary = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Task _serving;
    private long _messages;

    private readonly string? _talksTo;

    private readonly BindingHello _hello;

    private GoodApp(IConnection connection, BindingHello hello, string? talksTo)
    {
        (_connection, _hello, _talksTo) = (connection, hello, talksTo);
        _serving = Task.Run(ServeAsync);
    }

    public static BindingHello Hello { get; } =
        new(2, 2, 0, new Guid("11111111-2222-3333-4444-555555555555"), "scripted 1", "7", "", "", "bank", "");

    /// <summary>RPC messages received, the initial one included.</summary>
    public long Messages => Interlocked.Read(ref _messages);

    /// <summary>Completes when everything that was durable at attachment has been executed.</summary>
    public Task Primary => _primary.Task;

    /// <summary>How it ended; null while it serves.</summary>
    public Task Serving => _serving;

    public static async Task<GoodApp> AttachAsync(World world, string? talksTo = null) =>
        new(await world.Network.Node("app").ConnectAsync(World.App, default), Hello, talksTo);

    /// <summary>The app of another instance, which listens at app-NAME.</summary>
    public static async Task<GoodApp> AttachAsync(MemoryNetwork network, string instance, string? talksTo) =>
        new(await network.Node("app").ConnectAsync(EndPointName.Pipe("app-" + instance), default), Hello with
            { Instance = instance }, talksTo);

    public async ValueTask DisposeAsync()
    {
        _connection.Abort();
        try
        {
            await _serving;
        }
        catch (IOException)
        {
            // Its own end.
        }

        await _connection.DisposeAsync();
    }

    private async Task ServeAsync()
    {
        try
        {
            await SayAsync(BindingMessageType.Hello, _hello.Write);
            long skip = 0;
            while (true)
            {
                ReadResult result = await _connection.Input.ReadAsync();
                ReadOnlySequence<byte> buffer = result.Buffer;
                while (true)
                {
                    long skipped = Math.Min(skip, buffer.Length);
                    (buffer, skip) = (buffer.Slice(skipped), skip - skipped);
                    if (skip > 0 || !AppMessage.TryRead(buffer, 1 << 20, out AppMessage message))
                    {
                        break;
                    }

                    buffer = buffer.Slice(message.TotalSize);
                    skip = await TakeAsync(message);
                }

                _connection.Input.AdvanceTo(buffer.Start, buffer.End);
                if (result.IsCompleted)
                {
                    throw new EndOfStreamException("the coordinator ended the connection of a good app");
                }
            }
        }
        catch (Exception error)
        {
            _primary.TrySetException(error);
            throw;
        }
    }

    /// <summary>Answers a message and returns the bytes to skip behind it.</summary>
    private async Task<long> TakeAsync(AppMessage message)
    {
        byte[] data = message.ToArray();
        switch (message.Type)
        {
            case BindingMessageType.TakeBecomingPrimaryCheckpoint:
                var initial = new ArrayBufferWriter<byte>();
                Version2Framing.WriteMessage(initial, BindingMessageType.Rpc, [0, 1, 1]);
                await SayAsync(BindingMessageType.InitialMessage, output => output.Write(initial.WrittenSpan));
                await CheckpointAsync();
                return 0;
            case BindingMessageType.TakeCheckpoint:
                await CheckpointAsync();
                return 0;
            case BindingMessageType.BecomingPrimary:
                await SayAsync(BindingMessageType.BecomingPrimary, static _ => { });
                _primary.TrySetResult();
                return 0;
            case BindingMessageType.RecordInfo:
                RecordInfo record = RecordInfo.Read(data);
                Interlocked.Add(ref _messages, record.MessageCount);
                if (_talksTo is not null)
                {
                    await SayAsync(BindingMessageType.Destination, output =>
                        output.Write((ReadOnlySpan<byte>)[1, (byte)_talksTo.Length, .. System.Text.Encoding.ASCII.GetBytes(_talksTo)]));
                    await SayAsync(BindingMessageType.Outputs, static output => output.Write((ReadOnlySpan<byte>)[1, 1, .. Bytes.Fork(9)]));
                }

                await SayAsync(BindingMessageType.Progress, output => output.Advance(
                    new Progress(record.Lsn, record.MessageCount, RecordComplete: true).Write(output.GetSpan(Progress.MaxSize))));
                return record.PayloadSize;
            case BindingMessageType.Checkpoint:
                return new ByteReader(data).ReadZigZag("size");
            case BindingMessageType.Refused:
                throw new EndOfStreamException($"a good app was refused: {BindingRefused.Read(data)}");
            default:
                return 0;
        }
    }

    private async Task CheckpointAsync()
    {
        await SayAsync(BindingMessageType.Checkpoint, static output => output.Write((ReadOnlySpan<byte>)[6]));
        _connection.Output.Write((ReadOnlySpan<byte>)[1, 2, 3]);
        await _connection.Output.FlushAsync();
    }

    private async Task SayAsync(BindingMessageType type, Action<IBufferWriter<byte>> write)
    {
        var data = new ArrayBufferWriter<byte>();
        write(data);
        Version2Framing.WriteMessage(_connection.Output, type, data.WrittenSpan);
        await _connection.Output.FlushAsync();
    }
}
