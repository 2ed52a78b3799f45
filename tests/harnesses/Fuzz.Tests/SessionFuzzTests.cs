using System.Buffers;
using System.Buffers.Binary;
using System.Globalization;
using System.IO.Pipelines;
using System.Text;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.Fuzz.Tests.Sessions;
using Ambrosia.Primitives;
using Ambrosia.Protocol;
using Xunit.Abstractions;

namespace Ambrosia.Fuzz.Tests;

/// <summary>
/// G14 with state: sequences of valid and spoiled pieces against the real core. It goes on, serves others meanwhile, and has taken from a
/// spoiled stream exactly what stood in front of the first mistake.
/// </summary>
public sealed class SessionFuzzTests(ITestOutputHelper output)
{
    private const int GoodEvery = 8;
    private static readonly Guid s_evil = new("eeeeeeee-0000-0000-0000-000000000001");
    private static readonly ulong[] s_farNumbers = [1, 1000, long.MaxValue - 1, long.MaxValue, (ulong)long.MaxValue + 1, ulong.MaxValue - 3,
        ulong.MaxValue - 2, ulong.MaxValue - 1, ulong.MaxValue];
    private readonly SortedDictionary<string, long> _outcomes = new(StringComparer.Ordinal);

    [Fact]
    public async Task A_hostile_sender_is_refused_at_its_first_mistake_and_nobody_else_notices()
    {
        int sessions = Settings.Count("AMBROSIA_FUZZ_SESSIONS", 400, 12_000, 1_000_000);
        await using World world = await World.StartAsync();
        await using GoodApp app = await GoodApp.AttachAsync(world);
        await world.OfAsync(Done(app.Primary));
        await using GoodPeer shop = await GoodPeer.ConnectAsync(world, 1);
        var model = new PeerModel();
        ulong generation = 1;
        long memory = GC.GetTotalMemory(forceFullCollection: true);
        for (int i = 0; i < sessions; i++)
        {
            ulong seed = FuzzRandom.Mix(Settings.Seed, (ulong)i);
            List<byte[]> stream = PeerSession(model, new FuzzRandom(seed), ref generation);
            try
            {
                byte[] bytes = [.. stream.SelectMany(static piece => piece)];
                model.Read(bytes, World.LargestFrame, World.LargestMessage);
                Count(model.Verdict);
                await PlayAsync(world, World.Peers, bytes, new FuzzRandom(seed));
                await RequireAsync(world, model, ++generation);
                if (i % GoodEvery == 0)
                {
                    await shop.SendAsync();
                }
            }
            catch (Exception error) when (error is not OutOfMemoryException)
            {
                Fail($"session {i}", stream, error);
            }
        }

        await shop.SendAsync();
        Assert.Equal((ulong)((sessions + GoodEvery - 1) / GoodEvery) + 1, shop.Sent);
        await world.RequireAliveAsync();
        await Until(() => app.Messages == model.Accepted + (long)shop.Sent + 1, () =>
            $"{model.Accepted} messages of hostile senders, {shop.Sent} of the good one and the initial one were logged; the app got "
            + $"{app.Messages}");
        await app.DisposeAsync();
        await world.StopAsync();
        long grown = GC.GetTotalMemory(forceFullCollection: true) - memory;
        Assert.InRange(grown, long.MinValue, (64L << 20) + 4096L * sessions);
        Show("peers", $"{sessions} sessions of a hostile sender, {model.Accepted} of its messages were valid and logged, {shop.Sent} of a "
            + $"good one meanwhile, {grown / 1024} KiB more memory");
    }

    [Fact]
    public async Task A_hostile_app_loses_its_connection_and_the_next_one_is_served()
    {
        int sessions = Settings.Count("AMBROSIA_FUZZ_APP_SESSIONS", 150, 3_000, 200_000);
        await using World world = await World.StartAsync();
        ulong generation = 0;
        await using (GoodApp first = await GoodApp.AttachAsync(world))
        {
            await world.OfAsync(Done(first.Primary));
        }

        for (int i = 0; i < sessions; i++)
        {
            var random = new FuzzRandom(FuzzRandom.Mix(Settings.Seed, (ulong)i + (1UL << 40)));
            bool legacy = random.OneIn(3);
            List<byte[]> stream = legacy ? new Script(random).Spoil(LegacyPieces(random), static _ => { })
                : new Script(random).Spoil(AppPieces(random), static _ => { });
            try
            {
                Count(legacy ? "published protocol" : "version 2");
                await PlayAppAsync(world, [.. stream.SelectMany(static piece => piece)], legacy, random);
                await world.RequireAliveAsync("IC-6001", "IC-6002");
                if (i % GoodEvery == 0)
                {
                    await using GoodApp app = await GoodApp.AttachAsync(world);
                    await world.OfAsync(Done(app.Primary));
                    await using GoodPeer shop = await GoodPeer.ConnectAsync(world, ++generation);
                    await shop.SendAsync();
                }
            }
            catch (Exception error) when (error is not OutOfMemoryException)
            {
                Fail($"app session {i}", stream, error);
            }
        }

        foreach (string code in world.Ends)
        {
            Count($"ended the coordinator with {code}, as documented");
        }

        await world.StopAsync();
        Show("apps", $"{sessions} sessions of a hostile app, each eighth followed by a good app and a good peer");
    }

    [Fact]
    public async Task A_hostile_receiver_stops_what_goes_to_it_and_nothing_else()
    {
        int sessions = Settings.Count("AMBROSIA_FUZZ_ANSWERS", 150, 3_000, 200_000);
        await using World world = await World.StartAsync(quickRetries: true);
        await using var receiver = await HostileReceiver.ListenAsync(world, sessions);
        await using GoodApp app = await GoodApp.AttachAsync(world, HostileReceiver.Name);
        await world.OfAsync(Done(app.Primary));
        await using GoodPeer shop = await GoodPeer.ConnectAsync(world, 1);
        try
        {
            for (int seen = 0; !receiver.Done.IsCompleted; seen++)
            {
                await shop.SendAsync();
                await world.RequireAliveAsync();
                await Task.WhenAny(receiver.Done, receiver.NextAsync());
            }
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            Fail("answer", receiver.Last, error);
        }

        await shop.SendAsync();
        Show("answers", $"{receiver.Sessions} connections to a hostile receiver, {shop.Sent} messages of a good sender meanwhile");
        Assert.True(receiver.Sessions >= sessions);
    }

    private static List<byte[]> PeerSession(PeerModel model, FuzzRandom random, ref ulong generation)
    {
        string name = $"evil{random.Next(NamesOf(random))}";
        (Guid id, ulong epoch, Watermark accepted) = model.Of(name);
        var hello = new ArrayBufferWriter<byte>();
        new PeerHello(1, PeerChannel.Data, "default", name, "bank", id == Guid.Empty ? s_evil
            : id, Guid.Empty, Math.Max(epoch, 1), ++generation).Write(hello);
        List<byte[]> pieces = [Bytes.Frame(FrameKind.Hello, hello.WrittenSpan.ToArray())];
        (ulong total, ulong replayable) = (accepted.Total, accepted.Replayable);
        if (accepted == Watermark.None && random.OneIn(4))
        {
            // To an instance that is new, a sender may begin anywhere: also where adding overflows.
            total = replayable = random.Pick(s_farNumbers);
        }

        for (int batches = random.Next(5); batches > 0; batches--)
        {
            int impulses = random.Next(3);
            int forks = random.Next(3);
            byte[] messages = [.. Enumerable.Repeat(Bytes.Fork(3), forks).Concat(Enumerable.Repeat(Bytes.Impulse(4), impulses))
                .SelectMany(static message => message)];
            pieces.Add(Bytes.Frame(FrameKind.Batch,
                [.. Bytes.Varints(total + 1, replayable + 1, (ulong)(forks + impulses), (ulong)forks), .. messages]));
            total += (ulong)(forks + impulses);
            replayable += (ulong)forks;
        }

        if (random.OneIn(6))
        {
            pieces.Add(Bytes.Frame((FrameKind)(1 + random.Next(7)), []));
        }

        return new Script(random).Spoil(pieces, Seal);
    }

    // Mostly the same few, whose numbers grow; now and then one that nobody has seen.
    private static int NamesOf(FuzzRandom random) => random.OneIn(8) ? 1000 : 4;

    private static List<byte[]> AppPieces(FuzzRandom random)
    {
        var hello = new ArrayBufferWriter<byte>();
        GoodApp.Hello.Write(hello);
        List<byte[]> pieces =
        [
            Bytes.Message(BindingMessageType.Hello, hello.WrittenSpan.ToArray()),
            Bytes.Message(BindingMessageType.Destination, [1, 4, .. "shop"u8]),
            Bytes.Message(BindingMessageType.Destination, 2, 0),
        ];
        for (int count = random.Next(8); count > 0; count--)
        {
            pieces.Add(random.Next(10) switch
            {
                0 => Bytes.Message(BindingMessageType.Outputs, [(byte)(1 + random.Next(2)), 1, .. Bytes.Fork(5)]),
                1 => Bytes.Message(BindingMessageType.Progress, (byte)random.Next(8), (byte)random.Next(3), (byte)random.Next(2)),
                2 => Bytes.Message(BindingMessageType.BecomingPrimary),
                3 => Bytes.Message(BindingMessageType.Impulses, [(byte)(1 + random.Next(2)), 1, .. Bytes.Impulse(5)]),
                4 => [.. Bytes.Message(BindingMessageType.Checkpoint, 6), 1, 2, 3],
                5 => Bytes.Message(BindingMessageType.HandlerFault, [1, 0, 4, 3, .. "bad"u8]),
                6 => Bytes.Message(BindingMessageType.TakeCheckpoint),
                7 => Bytes.Message(BindingMessageType.InitialMessage, Bytes.Fork(1)),
                8 => Bytes.Message((BindingMessageType)(64 + random.Next(40)), [3, .. "abc"u8]),
                _ => Bytes.Message(BindingMessageType.Goodbye, [3, .. "bye"u8]),
            });
        }

        return pieces;
    }

    private static List<byte[]> LegacyPieces(FuzzRandom random)
    {
        byte[] call = [8, .. "shop"u8, 0, 6, 1, 0x90];
        List<byte[]> pieces = [];
        for (int count = 1 + random.Next(6); count > 0; count--)
        {
            pieces.Add(random.Next(6) switch
            {
                0 => Bytes.Message(BindingMessageType.Rpc, call),
                1 => Bytes.Message(BindingMessageType.RpcBatch,
                    [4, .. Bytes.Message(BindingMessageType.Rpc, call), .. Bytes.Message(BindingMessageType.Rpc, call)]),
                2 => Bytes.Message(BindingMessageType.AttachTo, "shop"u8.ToArray()),
                3 => [.. Bytes.Message(BindingMessageType.Checkpoint, 6), 1, 2, 3],
                4 => Bytes.Message(BindingMessageType.TakeCheckpoint),
                _ => Bytes.Message(BindingMessageType.InitialMessage, Bytes.Fork(1)),
            });
        }

        return pieces;
    }

    private static void Seal(byte[] frame)
    {
        if (frame.Length < FrameHeader.Size)
        {
            return;
        }

        // A size that is right in half of the cases: else only the sizes would be tried.
        if (frame[^1] % 2 == 0)
        {
            BinaryPrimitives.WriteInt32LittleEndian(frame.AsSpan(4), frame.Length - FrameHeader.Size);
        }

        BinaryPrimitives.WriteUInt32LittleEndian(frame, Crc32C.Finish(Crc32C.Append(Crc32C.Seed, frame.AsSpan(4))));
    }

    /// <summary>Sends the stream, ends it, and waits until the other side has ended as well.</summary>
    private static async Task PlayAsync(World world, EndPointName to, byte[] stream, FuzzRandom random)
    {
        await using IConnection connection = await world.Network.Node("evil").ConnectAsync(to, default);
        Task<long> drained = DrainAsync(connection);
        try
        {
            foreach (ReadOnlyMemory<byte> piece in new Script(random).Cut(stream))
            {
                if ((await connection.Output.WriteAsync(piece)).IsCompleted)
                {
                    break;
                }
            }

            await connection.Output.CompleteAsync();
        }
        catch (IOException)
        {
            // It was thrown out before it was done.
        }

        await world.OfAsync(drained);
    }

    private static async Task PlayAppAsync(World world, byte[] stream, bool legacy, FuzzRandom random)
    {
        if (!legacy)
        {
            await PlayAsync(world, World.App, stream, random);
            return;
        }

        await using IConnection sends = await world.Network.Node("evil").ConnectAsync(World.LegacyReceive, default);
        await using IConnection receives = await world.Network.Node("evil").ConnectAsync(World.LegacySend, default);
        Task<long> drained = DrainAsync(receives);
        try
        {
            foreach (ReadOnlyMemory<byte> piece in new Script(random).Cut(stream))
            {
                await sends.Output.WriteAsync(piece);
            }

            await sends.Output.CompleteAsync();
        }
        catch (IOException)
        {
            // It was thrown out before it was done.
        }

        await world.OfAsync(drained);
    }

    private static async Task<long> DrainAsync(IConnection connection)
    {
        long bytes = 0;
        try
        {
            while (true)
            {
                ReadResult result = await connection.Input.ReadAsync();
                bytes += result.Buffer.Length;
                connection.Input.AdvanceTo(result.Buffer.End);
                if (result.IsCompleted)
                {
                    return bytes;
                }
            }
        }
        catch (IOException)
        {
            return bytes;
        }
    }

    /// <summary>Asks the core what it has accepted of each hostile name, by a Hello without fault.</summary>
    private static async Task RequireAsync(World world, PeerModel model, ulong generation)
    {
        string name = $"evil{generation % 4}";
        (Guid id, ulong epoch, Watermark accepted) = model.Of(name);
        if (accepted == Watermark.None)
        {
            return;
        }

        await using IConnection connection = await world.Network.Node("evil").ConnectAsync(World.Peers, default);
        var hello = new ArrayBufferWriter<byte>();
        new PeerHello(1, PeerChannel.Data, "default", name, "bank", id, Guid.Empty, epoch, ulong.MaxValue).Write(hello);
        await FrameSender.SendAsync(connection.Output, FrameKind.Hello, hello.WrittenMemory);
        (FrameKind Kind, byte[] Body)? frame = await world.OfAsync(FrameSender.ReadSmallAsync(connection.Input, default).AsTask());
        Watermark durable = frame is { Kind: FrameKind.Answer } ? PeerAnswer.Read(frame.Value.Body).Durable
            : throw new InvalidOperationException(
                $"{name} was answered with "
                + $"{(frame is null ? "nothing" : frame.Value.Kind + " " + Encoding.UTF8.GetString(frame.Value.Body))}");
        if (durable != accepted)
        {
            throw new InvalidOperationException($"Of {name} {durable} is durable; by the rules it is {accepted}, after: {model.Verdict}");
        }

        await connection.Output.CompleteAsync();
        await world.OfAsync(DrainAsync(connection));
    }

    private static async Task<bool> Done(Task task)
    {
        await task;
        return true;
    }

    private static async Task Until(Func<bool> condition, Func<string> otherwise)
    {
        for (int tries = 0; !condition(); tries++)
        {
            Assert.True(tries < 6000, otherwise());
            await Task.Delay(10);
        }
    }

    private static void Fail(string what, List<byte[]> stream, Exception error) => Assert.Fail(string.Create(
        CultureInfo.InvariantCulture,
        $"{what} of seed {Settings.Seed}: {error}\n  repeat with: AMBROSIA_FUZZ_SEED={Settings.Seed} dotnet test "
        + $"tests/harnesses/Fuzz.Tests -c Release --filter SessionFuzzTests\n  stream:\n    "
        + $"{string.Join("\n    ", stream.Select(static piece => Corpus.Print(piece)))}"));

    private void Count(string outcome)
    {
        outcome = Outcomes.PlainOf(outcome);
        _outcomes[outcome] = _outcomes.GetValueOrDefault(outcome) + 1;
    }

    private void Show(string name, string title)
    {
        string report = $"{title}, seed {Settings.Seed}\n"
            + $"{string.Join("\n", _outcomes.Select(static entry => $"    {entry.Value,9}  {entry.Key}"))}";
        output.WriteLine(report);
        Settings.Report(name, report);
    }
}
