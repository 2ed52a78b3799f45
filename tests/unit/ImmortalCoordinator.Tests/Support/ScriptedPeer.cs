using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>One connection of a sending coordinator that says what the test tells it to.</summary>
internal sealed class ScriptedPeer : IAsyncDisposable
{
    private readonly IConnection _connection;

    private ScriptedPeer(IConnection connection) => _connection = connection;

    public static PeerHello Hello { get; } =
        new(PeerHello.CurrentVersion, PeerChannel.Data, "default", "shop", "bank", new Guid("aaaaaaaa-0000-0000-0000-000000000001"),
            Guid.Empty, Epoch: 5, Generation: 1);

    /// <summary>True when the coordinator has said something that was not read yet, or has hung up.</summary>
    public bool HasNews
    {
        get
        {
            try
            {
                if (!_connection.Input.TryRead(out ReadResult result))
                {
                    return false;
                }

                _connection.Input.AdvanceTo(result.Buffer.Start);
                return true;
            }
            catch (IOException)
            {
                return true;
            }
        }
    }

    /// <summary>Connects and says Hello; hears nothing yet.</summary>
    public static Task<ScriptedPeer> DialAsync(CoreUnderTest core, PeerHello hello) =>
        DialAsync(core.Network.Node(hello.From), CoreUnderTest.PeerAddress, hello);

    /// <summary>The same, over another network.</summary>
    public static async Task<ScriptedPeer> DialAsync(ITransport transport, EndPointName address, PeerHello hello)
    {
        IConnection connection = await transport.ConnectAsync(address, default);
        var body = new ArrayBufferWriter<byte>();
        hello.Write(body);
        await FrameSender.SendAsync(connection.Output, FrameKind.Hello, body.WrittenMemory);
        return new ScriptedPeer(connection);
    }

    /// <summary>Sends a batch of one fork of method 1 without arguments.</summary>
    public async Task SendOneAsync(byte number) =>
        await FrameSender.SendAsync(_connection.Output, FrameKind.Batch, new byte[] { number, number, 1, 1, 8, 0, 0, 2, 1 });

    /// <summary>Says that messages will never come.</summary>
    public async Task SendGapAsync(PeerGap gap)
    {
        var body = new ArrayBufferWriter<byte>();
        gap.Write(body);
        await FrameSender.SendAsync(_connection.Output, FrameKind.Gap, body.WrittenMemory);
    }

    /// <summary>Sends a batch of one fork of method 1 that carries so much.</summary>
    public async Task SendLargeAsync(byte number, int size)
    {
        var body = new ArrayBufferWriter<byte>(size + 64);
        var writer = new ByteWriter(body);
        writer.WriteBytes([number, number, 1, 1]);
        writer.WriteZigZag(size + 4);
        writer.WriteBytes([0, 0, 2, 1]);
        writer.WriteBytes(new byte[size]);
        await FrameSender.SendAsync(_connection.Output, FrameKind.Batch, body.WrittenMemory);
    }

    /// <summary>Sends a sign of life now and then, and reads those of the other side, until it is told to end. Fails if the other side ends
    /// it.</summary>
    public async Task LiveAsync(CancellationToken stop)
    {
        Task<(FrameKind Kind, byte[] Body)?> hears = FrameSender.ReadSmallAsync(_connection.Input, default).AsTask();
        while (!stop.IsCancellationRequested)
        {
            await FrameSender.SendAsync(_connection.Output, FrameKind.Heartbeat, default);
            await Task.WhenAny(hears, Task.Delay(TimeSpan.FromMilliseconds(200), CancellationToken.None));
            if (hears.IsCompleted)
            {
                Assert.NotNull(await hears);
                hears = FrameSender.ReadSmallAsync(_connection.Input, default).AsTask();
            }
        }
    }

    /// <summary>The next answer or trim, after any number of heartbeats; a Goodbye fails the test.</summary>
    public async Task<Watermark> HearWatermarkAsync(FrameKind kind)
    {
        (FrameKind heard, byte[] body) = await HearAsync();
        while (heard == FrameKind.Heartbeat)
        {
            (heard, body) = await HearAsync();
        }

        Assert.Equal(kind, heard);
        return PeerAnswer.Read(body).Durable;
    }

    /// <summary>The code of a refusal; anything else fails the test.</summary>
    public async Task<string> HearRefusalAsync()
    {
        (FrameKind heard, byte[] body) = await HearAsync();
        Assert.Equal(FrameKind.Goodbye, heard);
        return PeerGoodbye.Read(body).Code;
    }

    /// <summary>Breaks the connection, as the system does for a process that is killed.</summary>
    public void Abort() => _connection.Abort();

    public ValueTask DisposeAsync() => _connection.DisposeAsync();

    private async Task<(FrameKind Kind, byte[] Body)> HearAsync() =>
        await FrameSender.ReadSmallAsync(_connection.Input, default).AsTask().OrFail() ?? throw new EndOfStreamException();
}
