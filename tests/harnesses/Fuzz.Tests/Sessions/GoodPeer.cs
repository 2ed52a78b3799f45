using System.Buffers;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Memory;
using Ambrosia.Protocol;

namespace Ambrosia.Fuzz.Tests.Sessions;

/// <summary>A sender called shop that keeps all the rules. Its pair of connections must outlive whatever others do.</summary>
internal sealed class GoodPeer : IAsyncDisposable
{
    private static readonly Guid s_id = new("aaaaaaaa-0000-0000-0000-000000000001");
    private readonly Func<Task<(FrameKind Kind, byte[] Body)?>, Task<(FrameKind Kind, byte[] Body)?>> _await;
    private readonly IConnection _data;
    private readonly IConnection _control;
    private ulong _sent;

    private GoodPeer(Func<Task<(FrameKind Kind, byte[] Body)?>, Task<(FrameKind Kind, byte[] Body)?>> awaiting, IConnection data,
        IConnection control) =>
        (_await, _data, _control) = (awaiting, data, control);

    /// <summary>Messages that the other side has confirmed.</summary>
    public ulong Sent => _sent;

    public static Task<GoodPeer> ConnectAsync(World world, ulong generation) =>
        ConnectAsync(world.Network, "bank", generation, world.OfAsync);

    /// <summary>Connects to another instance than a world's.</summary>
    public static Task<GoodPeer> ConnectAsync(MemoryNetwork network, string to, ulong generation) =>
        ConnectAsync(network, to, generation, static awaited => awaited.WaitAsync(TimeSpan.FromSeconds(60)));

    private static async Task<GoodPeer> ConnectAsync(MemoryNetwork network, string to, ulong generation,
        Func<Task<(FrameKind Kind, byte[] Body)?>, Task<(FrameKind Kind, byte[] Body)?>> awaiting)
    {
        IConnection data = await DialAsync(network, to, PeerChannel.Data, generation);
        IConnection control = await network.Node("shop").ConnectAsync(EndPointName.Pipe(to), default);
        var peer = new GoodPeer(awaiting, data, control);
        PeerAnswer answer = PeerAnswer.Read((await peer.ReadAsync(data, FrameKind.Answer)).Body);
        peer._sent = answer.Durable.Total;
        await HelloAsync(control, to, PeerChannel.Control, generation);
        await peer.ReadAsync(control, FrameKind.Trim);
        return peer;
    }

    /// <summary>Sends one message and waits until it is confirmed.</summary>
    public async Task SendAsync()
    {
        _sent++;
        byte[] body = [.. Bytes.Varints(_sent, _sent, 1, 1), .. Bytes.Fork(7)];
        await FrameSender.SendAsync(_data.Output, FrameKind.Batch, body);
        ulong confirmed = 0;
        while (confirmed < _sent)
        {
            confirmed = PeerAnswer.Read((await ReadAsync(_control, FrameKind.Trim)).Body).Durable.Total;
        }

        if (confirmed != _sent)
        {
            throw new InvalidOperationException($"{_sent} messages were sent and {confirmed} confirmed.");
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _data.DisposeAsync();
        await _control.DisposeAsync();
    }

    private static async Task<IConnection> DialAsync(MemoryNetwork network, string to, PeerChannel channel, ulong generation)
    {
        IConnection connection = await network.Node("shop").ConnectAsync(EndPointName.Pipe(to), default);
        await HelloAsync(connection, to, channel, generation);
        return connection;
    }

    private static async Task HelloAsync(IConnection connection, string to, PeerChannel channel, ulong generation)
    {
        var body = new ArrayBufferWriter<byte>();
        new PeerHello(PeerHello.CurrentVersion, channel, "default", "shop", to, s_id, Guid.Empty, 1, generation).Write(body);
        await FrameSender.SendAsync(connection.Output, FrameKind.Hello, body.WrittenMemory);
    }

    private async Task<(FrameKind Kind, byte[] Body)> ReadAsync(IConnection connection, FrameKind wanted)
    {
        while (await _await(FrameSender.ReadSmallAsync(connection.Input, default).AsTask()) is { } frame)
        {
            if (frame.Kind == wanted)
            {
                return frame;
            }

            if (frame.Kind != FrameKind.Heartbeat)
            {
                throw new InvalidOperationException($"A good peer got {frame.Kind} instead of {wanted}.");
            }

            if (wanted == FrameKind.Trim)
            {
                await FrameSender.SendAsync(connection.Output, FrameKind.Heartbeat, ReadOnlyMemory<byte>.Empty);
            }
        }

        throw new EndOfStreamException("the coordinator closed the connection of a good peer");
    }
}
