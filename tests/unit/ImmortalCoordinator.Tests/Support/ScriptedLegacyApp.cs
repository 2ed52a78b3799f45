using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>An app that says what the test tells it to on the legacy port pair, and hears records.</summary>
public sealed class ScriptedLegacyApp : IAsyncDisposable
{
    public const int ReceivePort = 1500;
    public const int SendPort = 1501;

    /// <summary>What a JavaScript binding of the original gives as its initial message: its version, and no call at all.</summary>
    public static readonly byte[] Version = "2.0.1"u8.ToArray();

    private readonly IConnection _sends;
    private readonly IConnection _receives;

    private ScriptedLegacyApp(IConnection sends, IConnection receives) => (_sends, _receives) = (sends, receives);

    /// <summary>Opens the pair, lets the status show soon what has happened, and waits for no app for long.</summary>
    public static void Ports(CoordinatorOptions options)
    {
        (options.ReceivePort, options.SendPort) = (ReceivePort, SendPort);
        (options.Heartbeat, options.DrainTimeout) = (TimeSpan.FromMilliseconds(20), TimeSpan.FromSeconds(1));
    }

    public static async Task<ScriptedLegacyApp> ConnectAsync(CoreUnderTest core)
    {
        ITransport transport = core.Network.Node("app");
        IConnection sends = await transport.ConnectAsync(EndPointName.Tcp("127.0.0.1", ReceivePort), default);
        return new ScriptedLegacyApp(sends, await transport.ConnectAsync(EndPointName.Tcp("127.0.0.1", SendPort), default));
    }

    /// <summary>
    /// Two connections come to the send port before the receive port has any. The app is what the receive port and the one that is served
    /// make.
    /// </summary>
    /// <returns>The app, and the connection that is not served.</returns>
    public static async Task<(ScriptedLegacyApp App, IConnection Other)> ConnectLateAsync(CoreUnderTest core)
    {
        ITransport transport = core.Network.Node("app");
        IConnection[] receives =
        [
            await transport.ConnectAsync(EndPointName.Tcp("127.0.0.1", SendPort), default),
            await transport.ConnectAsync(EndPointName.Tcp("127.0.0.1", SendPort), default),
        ];
        IConnection sends = await transport.ConnectAsync(EndPointName.Tcp("127.0.0.1", ReceivePort), default);
        ReadResult[] results = await Task.WhenAll(receives.Select(static connection => connection.Input.ReadAsync().AsTask())).OrFail();
        int served = results[0].Buffer.IsEmpty ? 1 : 0;
        Assert.True(results[1 - served] is { IsCompleted: true, Buffer.IsEmpty: true }, "both were served");
        receives[served].Input.AdvanceTo(results[served].Buffer.Start);
        return (new ScriptedLegacyApp(sends, receives[served]), receives[1 - served]);
    }

    public Task SayAsync(BindingMessageType type, params byte[] data)
    {
        var message = new ArrayBufferWriter<byte>();
        Version2Framing.WriteMessage(message, type, data);
        return SayBytesAsync(message.WrittenSpan.ToArray());
    }

    public async Task SayBytesAsync(byte[] bytes)
    {
        _sends.Output.Write(bytes);
        await _sends.Output.FlushAsync();
    }

    /// <summary>Sends what ends the connection, perhaps before all of it was sent.</summary>
    public async Task SayLastAsync(byte[] bytes)
    {
        try
        {
            await SayBytesAsync(bytes);
        }
        catch (IOException)
        {
            // Thrown out.
        }
    }

    /// <summary>Sends a fork of a method to the instance itself.</summary>
    public Task ForkAsync(byte method, params byte[] arguments) =>
        SayAsync(BindingMessageType.Rpc, [0, 0, (byte)(method << 1), 1, .. arguments]);

    /// <summary>Sends a checkpoint of three bytes.</summary>
    public Task CheckpointAsync() => SayBytesAsync([4, (byte)BindingMessageType.Checkpoint, 6, 1, 2, 3]);

    /// <summary>The next record: its id, and its messages.</summary>
    public async Task<(long Id, byte[] Messages)> HearAsync()
    {
        LogRecordHeader header = LogRecordHeader.Read(await HearBytesAsync(LogRecordHeader.Size));
        return (header.RecordId, await HearBytesAsync(header.RecordSize - LogRecordHeader.Size));
    }

    /// <summary>The next record is a message of the coordinator's own.</summary>
    public async Task HearOwnAsync(BindingMessageType type)
    {
        (long id, byte[] messages) = await HearAsync();
        Assert.Equal(LogRecordHeader.OwnMessage, id);
        Assert.Equal([2, (byte)type], messages);
    }

    /// <summary>The next record with messages of the log, over what the coordinator says itself.</summary>
    public async Task<(long Id, byte[] Messages)> HearLoggedAsync()
    {
        while (true)
        {
            (long id, byte[] messages) = await HearAsync();
            if (id >= 0)
            {
                return (id, messages);
            }
        }
    }

    public async Task<byte[]> HearBytesAsync(int count)
    {
        ReadResult result = await _receives.Input.ReadAtLeastAsync(count).AsTask().OrFail();
        if (result.Buffer.Length < count)
        {
            throw new EndOfStreamException($"the coordinator ended the connection {count - result.Buffer.Length} bytes too early");
        }

        byte[] bytes = result.Buffer.Slice(0, count).ToArray();
        _receives.Input.AdvanceTo(result.Buffer.GetPosition(count));
        return bytes;
    }

    /// <summary>What has come and was not heard.</summary>
    public byte[] Unheard()
    {
        if (!_receives.Input.TryRead(out ReadResult result))
        {
            return [];
        }

        byte[] bytes = result.Buffer.ToArray();
        _receives.Input.AdvanceTo(result.Buffer.Start);
        return bytes;
    }

    /// <summary>Goes through a first start, up to where the initial message comes back.</summary>
    public async Task StartFirstAsync()
    {
        await HearOwnAsync(BindingMessageType.TakeBecomingPrimaryCheckpoint);
        await SayAsync(BindingMessageType.InitialMessage, Version);
        await CheckpointAsync();
        await HearAsync();
    }

    /// <summary>Is restored from the checkpoint that there is; the records behind it follow.</summary>
    public async Task RestoreAsync()
    {
        (long id, byte[] messages) = await HearAsync();
        Assert.Equal(LogRecordHeader.CheckpointRecord, id);
        Assert.Equal([4, 8, 6], messages);
        await HearBytesAsync(3);
    }

    /// <summary>All that comes until the coordinator has ended this app's connection.</summary>
    public async Task<byte[]> HearRestAsync()
    {
        List<byte> rest = [];
        try
        {
            for (ReadResult result = default; !result.IsCompleted; _receives.Input.AdvanceTo(result.Buffer.End))
            {
                result = await _receives.Input.ReadAsync().AsTask().OrFail();
                rest.AddRange(result.Buffer.ToArray());
            }
        }
        catch (IOException)
        {
            // So it may look, too.
        }

        return [.. rest];
    }

    public async ValueTask DisposeAsync()
    {
        await _sends.DisposeAsync();
        await _receives.DisposeAsync();
    }
}
