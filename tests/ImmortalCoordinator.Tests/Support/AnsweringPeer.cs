using System.Buffers;
using Ambrosia.ImmortalCoordinator.Peers;
using Ambrosia.ImmortalCoordinator.Transport;
using Ambrosia.LogStore.Catalog;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>An instance that other coordinators send to. It answers with the watermark that it was given and logs nothing.</summary>
public sealed class AnsweringPeer : IAsyncDisposable
{
    private static readonly Guid s_id = new("cccccccc-0000-0000-0000-000000000001");
    private readonly ulong _durable;
    private readonly TaskCompletionSource _hangUp = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private IListener? _listener;

    private AnsweringPeer(ulong durable) => _durable = durable;

    /// <param name="core">Whose network and catalog it joins.</param>
    /// <param name="name">Its name.</param>
    /// <param name="durable">What it says to have of the sender's replayable messages.</param>
    public static async Task<AnsweringPeer> StartAsync(CoreUnderTest core, string name, ulong durable)
    {
        var peer = new AnsweringPeer(durable);
        peer._listener = await core.Network.Node(name).ListenAsync(EndPointName.Pipe(name), peer.ServeAsync, default);
        Assert.NotNull(await core.Catalog.PutAsync(new CatalogEntry { Instance = name, InstanceId = s_id.ToString("N"), PeerAddress = "pipe:" + name }, null));
        return peer;
    }

    public async ValueTask DisposeAsync()
    {
        _hangUp.TrySetResult();
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
            if (hello.Channel != PeerChannel.Data)
            {
                return;
            }

            var body = new ArrayBufferWriter<byte>();
            new PeerAnswer(new Watermark(_durable, _durable, hello.Epoch), ReceiverEpoch: 1, s_id).Write(body);
            await FrameSender.SendAsync(connection.Output, FrameKind.Answer, body.WrittenMemory);
            await Task.WhenAny(FrameSender.ReadSmallAsync(connection.Input, default).AsTask(), _hangUp.Task);
        }
    }
}
