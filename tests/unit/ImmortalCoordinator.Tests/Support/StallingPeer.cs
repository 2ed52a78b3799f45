using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore.Catalog;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A receiver over TCP that lives, as its control connection shows, and reads no batch before it is told to.</summary>
public sealed class StallingPeer : IAsyncDisposable
{
    private static readonly Guid s_id = new("cccccccc-0000-0000-0000-000000000002");
    private readonly LoopbackTcp _transport = new();
    private readonly TaskCompletionSource _reads = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _stop = new();
    private readonly List<IConnection> _connections = [];
    private IListener? _listener;
    private int _sessions;
    private int _received;

    /// <summary>Data connections that were opened so far.</summary>
    public int Sessions => Volatile.Read(ref _sessions);

    /// <summary>Messages read so far.</summary>
    public int Received => Volatile.Read(ref _received);

    public static async Task<StallingPeer> StartAsync(CoreUnderTest core, string name)
    {
        var peer = new StallingPeer();
        peer._listener = await peer._transport.ListenAsync(EndPointName.Pipe(name), peer.ServeAsync, default);
        string address = (await peer._transport.Address).ToString();
        Assert.NotNull(await core.Catalog.PutAsync(new CatalogEntry
            { Instance = name, InstanceId = s_id.ToString("N"), PeerAddress = address }, null));
        return peer;
    }

    /// <summary>From now on it reads.</summary>
    public void Read() => _reads.TrySetResult();

    /// <summary>Breaks all connections that there are.</summary>
    public void Abort()
    {
        lock (_connections)
        {
            _connections.ForEach(static connection => connection.Abort());
        }
    }

    public async ValueTask DisposeAsync()
    {
        _reads.TrySetResult();
        await _stop.CancelAsync();
        await _listener!.DisposeAsync();
        _stop.Dispose();
    }

    private async Task ServeAsync(IConnection connection)
    {
        lock (_connections)
        {
            _connections.Add(connection);
        }

        await using (connection)
        {
            if (await FrameSender.ReadSmallAsync(connection.Input, default) is not { Kind: FrameKind.Hello } first)
            {
                return;
            }

            PeerHello hello = PeerHello.Read(first.Body);
            await (hello.Channel == PeerChannel.Data ? TakeBatchesAsync(connection, hello) : LiveAsync(connection));
        }
    }

    private async Task TakeBatchesAsync(IConnection connection, PeerHello hello)
    {
        Interlocked.Increment(ref _sessions);
        var body = new ArrayBufferWriter<byte>();
        new PeerAnswer(Watermark.None, ReceiverEpoch: 1, s_id).Write(body);
        await FrameSender.SendAsync(connection.Output, FrameKind.Answer, body.WrittenMemory);
        await _reads.Task;
        while (!_stop.IsCancellationRequested)
        {
            ReadResult result = await connection.Input.ReadAsync(_stop.Token);
            ReadOnlySequence<byte> buffer = result.Buffer;
            while (FrameReader.TryRead(ref buffer, int.MaxValue, out FrameHeader header, out ReadOnlySequence<byte> frame))
            {
                Assert.Equal(FrameKind.Batch, header.Kind);
                BatchHeader batch = BatchHeader.Read(frame, out _);
                Assert.Equal((ulong)_received + 1, batch.FirstTotal);
                Interlocked.Add(ref _received, batch.Count);
            }

            connection.Input.AdvanceTo(buffer.Start, buffer.End);
            if (result.IsCompleted)
            {
                return;
            }
        }
    }

    private async Task LiveAsync(IConnection control)
    {
        Task<(FrameKind Kind, byte[] Body)?> hears = FrameSender.ReadSmallAsync(control.Input, _stop.Token).AsTask();
        while (!_stop.IsCancellationRequested && await FrameSender.SendAsync(control.Output, FrameKind.Heartbeat, default))
        {
            await Task.WhenAny(hears, Task.Delay(TimeSpan.FromMilliseconds(200), _stop.Token));
            if (hears.IsCompleted)
            {
                if (await hears is null)
                {
                    return;
                }

                hears = FrameSender.ReadSmallAsync(control.Input, _stop.Token).AsTask();
            }
        }
    }
}
