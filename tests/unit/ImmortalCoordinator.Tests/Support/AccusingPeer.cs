using System.Buffers;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore.Catalog;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A destination that says that a newer epoch of its sender exists: in its answer, or instead of it.</summary>
internal sealed class AccusingPeer : IAsyncDisposable
{
    private static readonly Guid s_id = new("cccccccc-0000-0000-0000-000000000002");
    private readonly bool _politely;
    private readonly IListener _listener;

    private AccusingPeer(CoreUnderTest core, string name, bool politely)
    {
        _politely = politely;
        _listener = core.Network.Node(name).ListenAsync(EndPointName.Pipe(name), ServeAsync, default).AsTask().GetAwaiter().GetResult();
    }

    /// <summary>How often it was dialled.</summary>
    public int Dialled { get; private set; }

    public static async Task<AccusingPeer> StartAsync(CoreUnderTest core, string name, bool politely)
    {
        var peer = new AccusingPeer(core, name, politely);
        Assert.NotNull(await core.Catalog.PutAsync(new CatalogEntry
            { Instance = name, InstanceId = s_id.ToString("N"), PeerAddress = "pipe:" + name }, null));
        return peer;
    }

    public ValueTask DisposeAsync() => _listener.DisposeAsync();

    private async Task ServeAsync(IConnection connection)
    {
        await using (connection)
        {
            if (await FrameSender.ReadSmallAsync(connection.Input, default) is not { Kind: FrameKind.Hello } first)
            {
                return;
            }

            Dialled++;
            PeerHello hello = PeerHello.Read(first.Body);
            var body = new ArrayBufferWriter<byte>();
            if (_politely)
            {
                new PeerAnswer(new Watermark(1, 1, hello.Epoch + 1), ReceiverEpoch: 1, s_id).Write(body);
            }
            else
            {
                new PeerGoodbye("IC-3002", Retry: false, $"epoch {hello.Epoch} is fenced").Write(body);
            }

            await FrameSender.SendAsync(connection.Output, _politely ? FrameKind.Answer : FrameKind.Goodbye, body.WrittenMemory);
            await FrameSender.ReadSmallAsync(connection.Input, default);
        }
    }
}
