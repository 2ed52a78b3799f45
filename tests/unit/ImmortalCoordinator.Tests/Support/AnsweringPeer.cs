using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore.Catalog;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>An instance that other coordinators send to. It answers with the watermark that it was given and logs nothing.</summary>
public sealed class AnsweringPeer : IAsyncDisposable
{
    private static readonly Guid s_id = new("cccccccc-0000-0000-0000-000000000001");
    private readonly Func<PeerHello, Watermark> _answer;
    private readonly Func<PeerHello, Watermark>? _trim;
    private readonly TaskCompletionSource _hangUp = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _trimmed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private IListener? _listener;

    private AnsweringPeer(Func<PeerHello, Watermark> answer, Func<PeerHello, Watermark>? trim) => (_answer, _trim) = (answer, trim);

    /// <summary>How often its data connection was dialled.</summary>
    public int Dialled { get; private set; }

    /// <summary>Completes when it has said what it was to say on the control connection.</summary>
    public Task Trimmed => _trimmed.Task;

    /// <summary>The messages that it was sent came in this many batches.</summary>
    public int Batches { get; private set; }

    /// <param name="core">Whose network and catalog it joins.</param>
    /// <param name="name">Its name.</param>
    /// <param name="durable">What it says to have of the sender's replayable messages.</param>
    public static Task<AnsweringPeer> StartAsync(CoreUnderTest core, string name, ulong durable) =>
        StartAsync(core, name, hello => new Watermark(durable, durable, hello.Epoch));

    /// <param name="core">Whose network and catalog it joins.</param>
    /// <param name="name">Its name.</param>
    /// <param name="answer">What it says to have, to a Hello on the data connection.</param>
    /// <param name="trim">What it says to have at once on the control connection; null: nothing.</param>
    public static async Task<AnsweringPeer> StartAsync(
        CoreUnderTest core, string name, Func<PeerHello, Watermark> answer, Func<PeerHello, Watermark>? trim = null)
    {
        var peer = new AnsweringPeer(answer, trim);
        peer._listener = await core.Network.Node(name).ListenAsync(EndPointName.Pipe(name), peer.ServeAsync, default);
        CatalogRow? earlier = await core.Catalog.GetAsync(name);
        Assert.NotNull(await core.Catalog.PutAsync(new CatalogEntry
            { Instance = name, InstanceId = s_id.ToString("N"), PeerAddress = "pipe:" + name }, earlier?.Version));
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
            if (hello.Channel == PeerChannel.Data)
            {
                Dialled++;
                await SayAsync(connection, FrameKind.Answer, _answer(hello));
                await Task.WhenAny(TakeAsync(connection), _hangUp.Task);
            }
            else if (_trim is not null)
            {
                await SayAsync(connection, FrameKind.Trim, _trim(hello));
                _trimmed.TrySetResult();
                await _hangUp.Task;
            }
        }
    }

    // Until something is sent; a Goodbye ends it, too.
    private async Task TakeAsync(IConnection connection)
    {
        if (await HearAsync(connection) == FrameKind.Batch)
        {
            Batches++;
            if (_trim is not null)
            {
                await _hangUp.Task;
            }
        }
    }

    // Of any size, unlike what a coordinator is told on a control connection.
    private static async Task<FrameKind?> HearAsync(IConnection connection)
    {
        while (true)
        {
            ReadResult result = await connection.Input.ReadAsync();
            ReadOnlySequence<byte> buffer = result.Buffer;
            bool isWhole = FrameReader.TryRead(ref buffer, 1 << 20, out FrameHeader header, out _);
            if (isWhole || result.IsCompleted)
            {
                connection.Input.AdvanceTo(buffer.Start);
                return isWhole ? header.Kind : null;
            }

            connection.Input.AdvanceTo(buffer.Start, buffer.End);
        }
    }

    private static async Task SayAsync(IConnection connection, FrameKind kind, Watermark durable)
    {
        var body = new ArrayBufferWriter<byte>();
        new PeerAnswer(durable, ReceiverEpoch: 1, s_id).Write(body);
        await FrameSender.SendAsync(connection.Output, kind, body.WrittenMemory);
    }
}
