using System.Buffers;
using System.Collections.Concurrent;
using Ambrosia.ImmortalCoordinator.Peers;
using Ambrosia.ImmortalCoordinator.Transport;
using Ambrosia.LogStore.Catalog;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>An instance that other coordinators send to. It answers each connection with the next watermark that it was given and logs nothing.</summary>
public sealed class AnsweringPeer : IAsyncDisposable
{
    private static readonly Guid s_id = new("cccccccc-0000-0000-0000-000000000001");
    private readonly ConcurrentQueue<ulong> _durable;
    private readonly SemaphoreSlim _hangUp = new(0);
    private readonly SemaphoreSlim _answered = new(0);
    private IListener? _listener;

    private AnsweringPeer(IEnumerable<ulong> durable) => _durable = new(durable);

    /// <param name="core">Whose network and catalog it joins.</param>
    /// <param name="name">Its name.</param>
    /// <param name="durable">What it says to have of the sender's replayable messages, connection by connection.</param>
    public static async Task<AnsweringPeer> StartAsync(CoreUnderTest core, string name, params ulong[] durable)
    {
        var peer = new AnsweringPeer(durable);
        peer._listener = await core.Network.Node(name).ListenAsync(EndPointName.Pipe(name), peer.ServeAsync, default);
        Assert.NotNull(await core.Catalog.PutAsync(new CatalogEntry { Instance = name, InstanceId = s_id.ToString("N"), PeerAddress = "pipe:" + name }, null));
        return peer;
    }

    /// <summary>Returns when one more data connection was answered.</summary>
    public Task AnsweredAsync() => _answered.WaitAsync().OrFail();

    public async ValueTask DisposeAsync()
    {
        _hangUp.Release();
        await _listener!.DisposeAsync();
    }

    private async Task ServeAsync(IConnection connection)
    {
        await using (connection)
        {
            if (await FrameSender.ReadSmallAsync(connection.Input, default) is not { Kind: FrameKind.Hello } first)
            {
                return;
            }

            PeerHello hello = PeerHello.Read(first.Body);
            if (hello.Channel != PeerChannel.Data || !_durable.TryDequeue(out ulong durable))
            {
                return;
            }

            var body = new ArrayBufferWriter<byte>();
            new PeerAnswer(new Watermark(durable, durable, durable == 0 ? 0 : hello.Epoch), ReceiverEpoch: 1, s_id).Write(body);
            await FrameSender.SendAsync(connection.Output, FrameKind.Answer, body.WrittenMemory);
            _answered.Release();
            await Task.WhenAny(FrameSender.ReadSmallAsync(connection.Input, default).AsTask(), _hangUp.WaitAsync());
        }
    }
}
