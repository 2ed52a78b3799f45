using System.Buffers;
using System.Buffers.Binary;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.LogStore.Catalog;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.Fuzz.Tests.Sessions;

/// <summary>
/// An instance to which the core has something to send, and which answers with spoiled answers, trims and goodbyes. It never claims a later
/// epoch of the sender's: that ends a sender by the rules.
/// </summary>
internal sealed class HostileReceiver : IAsyncDisposable
{
    public const string Name = "pit";
    private static readonly EndPointName s_address = EndPointName.Pipe(Name);
    private static readonly Guid s_id = new("dddddddd-0000-0000-0000-000000000001");
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly SemaphoreSlim _next = new(0);
    private readonly int _wanted;
    private IListener? _listener;
    private int _sessions;

    private HostileReceiver(int wanted) => _wanted = wanted;

    /// <summary>Completes when enough connections were answered.</summary>
    public Task Done => _done.Task;

    public int Sessions => Volatile.Read(ref _sessions);

    /// <summary>What the last connection got.</summary>
    public List<byte[]> Last { get; private set; } = [];

    public static async Task<HostileReceiver> ListenAsync(World world, int sessions)
    {
        var receiver = new HostileReceiver(sessions);
        receiver._listener = await world.Network.Node(Name).ListenAsync(s_address, receiver.ServeAsync, default);
        await world.Catalog.PutAsync(new CatalogEntry
            { Instance = Name, PeerAddress = s_address.ToString(), InstanceId = s_id.ToString("N"), Epoch = 1 }, null);
        return receiver;
    }

    public Task NextAsync() => _next.WaitAsync();

    public async ValueTask DisposeAsync()
    {
        if (_listener is not null)
        {
            await _listener.DisposeAsync();
        }

        _next.Dispose();
    }

    private async Task ServeAsync(IConnection connection)
    {
        int session = Interlocked.Increment(ref _sessions);
        var random = new FuzzRandom(FuzzRandom.Mix(Settings.Seed, (ulong)session + (1UL << 50)));
        try
        {
            (FrameKind Kind, byte[] Body)? frame = await FrameSender.ReadSmallAsync(connection.Input, default);
            if (frame is { Kind: FrameKind.Hello })
            {
                PeerHello hello = PeerHello.Read(frame.Value.Body);
                // The first answer is honest: a lie in it would show that the log is an older copy, and rightly end the coordinator.
                Last = session <= 2 ? [.. Honest(hello.Channel)] : new Script(random).Spoil(Pieces(hello.Channel, random), Seal);
                foreach (byte[] piece in Last)
                {
                    if (!IsFencing(piece))
                    {
                        await connection.Output.WriteAsync(piece);
                    }
                }

                // A data connection that was answered well lives until the other side has had its say.
                await Task.WhenAny(Drain(connection), Task.Delay(random.OneIn(2) ? 0 : 2));
            }
        }
        catch (Exception error) when (error is IOException or ProtocolException)
        {
            // The other side hung up.
        }
        finally
        {
            connection.Abort();
            _next.Release();
            if (session >= _wanted)
            {
                _done.TrySetResult();
            }
        }
    }

    private static async Task Drain(IConnection connection)
    {
        try
        {
            while (await connection.Input.ReadAsync() is { IsCompleted: false } result)
            {
                connection.Input.AdvanceTo(result.Buffer.End);
            }
        }
        catch (IOException)
        {
            // The other side hung up.
        }
    }

    private static IEnumerable<byte[]> Honest(PeerChannel channel)
    {
        var body = new ArrayBufferWriter<byte>();
        new PeerAnswer(Watermark.None, 1, s_id).Write(body);
        return channel == PeerChannel.Data ? [Bytes.Frame(FrameKind.Answer, body.WrittenSpan.ToArray())] : [];
    }

    private static List<byte[]> Pieces(PeerChannel channel, FuzzRandom random)
    {
        List<byte[]> pieces = [];
        for (int count = 1 + random.Next(channel == PeerChannel.Data ? 2 : 4); count > 0; count--)
        {
            ulong total = (ulong)random.Next(3);
            var body = new ArrayBufferWriter<byte>();
            new PeerAnswer(new Watermark(total, total, (ulong)random.Next(2)), 1, s_id).Write(body);
            pieces.Add(Bytes.Frame(channel == PeerChannel.Data ? FrameKind.Answer : random.OneIn(4) ? FrameKind.Heartbeat
                : FrameKind.Trim, body.WrittenSpan.ToArray()));
        }

        if (random.OneIn(4))
        {
            pieces.Add(Bytes.Frame(FrameKind.Goodbye, [7, .. "IC-4003"u8, 1, 2, .. "no"u8]));
        }

        return pieces;
    }

    private static bool IsFencing(byte[] frame)
    {
        try
        {
            var bytes = new ReadOnlySequence<byte>(frame);
            while (FrameReader.TryRead(ref bytes, FrameLimits.SmallBody, out FrameHeader header, out ReadOnlySequence<byte> body))
            {
                if ((header.Kind is FrameKind.Answer or FrameKind.Trim && PeerAnswer.Read(body.ToArray()).Durable.SenderEpoch > 1)
                    || (header.Kind == FrameKind.Goodbye && PeerGoodbye.Read(body.ToArray()).Code == "IC-3002"))
                {
                    return true;
                }
            }

            return false;
        }
        catch (ProtocolException)
        {
            return false;
        }
    }

    private static void Seal(byte[] frame)
    {
        if (frame.Length >= FrameHeader.Size)
        {
            BinaryPrimitives.WriteInt32LittleEndian(frame.AsSpan(4), frame.Length - FrameHeader.Size);
            BinaryPrimitives.WriteUInt32LittleEndian(frame, Crc32C.Finish(Crc32C.Append(Crc32C.Seed, frame.AsSpan(4))));
        }
    }
}
