using System.Buffers;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Transport;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore.Catalog;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>Peers that a coordinator does not let in, and what it tells them.</summary>
public sealed class PeerRefusalTests
{
    private static readonly Guid s_shop = new("aaaaaaaa-0000-0000-0000-000000000001");
    private static readonly Guid s_copy = new("aaaaaaaa-0000-0000-0000-000000000002");
    private static readonly PeerHello s_hello =
        new(PeerHello.CurrentVersion, PeerChannel.Data, "default", "shop", "bank", s_shop, Guid.Empty, Epoch: 5, Generation: 1);

    [Fact]
    public async Task Another_version_cluster_or_destination_and_itself_are_refused()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await PrimaryAsync(core);
        Assert.Equal("IC-4001", await RefusalAsync(core, s_hello with { Version = 99 }));
        Assert.Equal("IC-4002", await RefusalAsync(core, s_hello with { Cluster = "elsewhere" }));
        Assert.Equal("IC-4002", await RefusalAsync(core, s_hello with { To = "auction" }));
        Assert.Equal("IC-4002", await RefusalAsync(core, s_hello with { From = "bank" }));
    }

    [Fact]
    public async Task Bytes_that_are_no_frame_are_refused_and_a_good_peer_is_answered_afterwards()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await PrimaryAsync(core);
        await using IConnection unknown = await ConnectAsync(core);
        unknown.Output.Write(new byte[64]);
        await unknown.Output.FlushAsync();
        Assert.Equal("IC-4003", await ReadGoodbyeAsync(unknown));
        await using IConnection peer = await HelloAsync(core, s_hello);
        Assert.Equal(FrameKind.Answer, (await ReadAsync(peer)).Kind);
    }

    [Theory]
    [InlineData(new byte[] { 1, 1, 2, 2, 99, 0 })] // Two messages promised, none there.
    [InlineData(new byte[] { 1, 1, 2, 2, 8, 0, 0, 2, 1 })] // Two promised, one there.
    [InlineData(new byte[] { 1, 1, 1, 0, 8, 0, 0, 2, 1 })] // An impulse promised, a call there.
    // The outcome of an effect, of which only the immortal itself can tell (docs/internals/effect-rules.md E19).
    [InlineData(new byte[] { 1, 1, 1, 0, 8, 0, 0, 9, 2 })]
    // A call of outside.ambrosia (docs/internals/outside-calls.md X31).
    [InlineData(new byte[] { 1, 1, 1, 1, 44, 0, 0, 14, 0, 32, 111, 117, 116, 115, 105, 100, 101, 46, 97, 109, 98, 114, 111, 115, 105, 97,
        2 })]
    public async Task A_batch_that_lies_about_its_messages_ends_the_connection_and_logs_nothing(byte[] batch)
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await PrimaryAsync(core);
        await using (IConnection peer = await HelloAsync(core, s_hello))
        {
            Assert.Equal(FrameKind.Answer, (await ReadAsync(peer)).Kind);
            try
            {
                await FrameSender.SendAsync(peer.Output, FrameKind.Batch, batch);
                Assert.Equal("IC-4003", await ReadGoodbyeAsync(peer));
            }
            catch (IOException)
            {
                // It is cut off; whether the reason still gets through is a race.
            }
        }

        await using IConnection again = await HelloAsync(core, s_hello with { Generation = 2 });
        PeerAnswer answer = PeerAnswer.Read((await ReadAsync(again)).Body);
        Assert.Equal(0UL, answer.Durable.Total);
    }

    [Fact] // docs/internals/exactly-once.md H12: nothing between two batches can be missing.
    public async Task A_batch_that_does_not_begin_where_the_last_one_ended_ends_the_connection_and_is_not_logged()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await PrimaryAsync(core);
        await using (IConnection peer = await HelloAsync(core, s_hello))
        {
            Assert.Equal(FrameKind.Answer, (await ReadAsync(peer)).Kind);
            await FrameSender.SendAsync(peer.Output, FrameKind.Batch, BatchOf(first: 1));
            try
            {
                await FrameSender.SendAsync(peer.Output, FrameKind.Batch, BatchOf(first: 3));
                Assert.Equal("IC-4003", await ReadGoodbyeAsync(peer));
            }
            catch (IOException)
            {
                // It is cut off; whether the reason still gets through is a race.
            }
        }

        Assert.Equal(1UL, await ReconnectAsync(core, generation: 2));
    }

    [Fact] // docs/internals/exactly-once.md H9
    public async Task What_a_replaced_connection_still_says_is_dropped()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await PrimaryAsync(core);
        await using IConnection old = await HelloAsync(core, s_hello);
        Assert.Equal(FrameKind.Answer, (await ReadAsync(old)).Kind);
        Assert.Equal(0UL, await ReconnectAsync(core, generation: 2));
        try
        {
            await FrameSender.SendAsync(old.Output, FrameKind.Batch, BatchOf(first: 1));
        }
        catch (IOException)
        {
            // Closed before the answer on the new one, as it should be.
        }

        Assert.Equal(0UL, await ReconnectAsync(core, generation: 3));
    }

    [Fact]
    public async Task An_identity_that_the_catalog_does_not_know_is_refused_until_it_does()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await PrimaryAsync(core);
        await using IConnection known = await HelloAsync(core, s_hello);
        Assert.Equal(FrameKind.Answer, (await ReadAsync(known)).Kind);
        Assert.Equal("IC-4004", await RefusalAsync(core, s_hello with { FromId = s_copy, Epoch = 9 }));
        Assert.NotNull(await core.Catalog.PutAsync(new CatalogEntry
            { Instance = "shop", InstanceId = s_copy.ToString("N"), PeerAddress = "pipe:shop" }, null));
        await using IConnection reborn = await HelloAsync(core, s_hello with { FromId = s_copy, Epoch = 1 });
        Assert.Equal(FrameKind.Answer, (await ReadAsync(reborn)).Kind);
    }

    [Fact]
    public async Task An_older_epoch_is_fenced_and_an_older_generation_gives_way()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await PrimaryAsync(core);
        await using IConnection newest = await HelloAsync(core, s_hello with { Generation = 7 });
        Assert.Equal(FrameKind.Answer, (await ReadAsync(newest)).Kind);
        Assert.Equal("IC-3002", await RefusalAsync(core, s_hello with { Epoch = 4, Generation = 8 }));
        Assert.Equal("IC-4005", await RefusalAsync(core, s_hello with { Generation = 6 }));
        await using IConnection newer = await HelloAsync(core, s_hello with { Generation = 8 });
        Assert.Equal(FrameKind.Answer, (await ReadAsync(newer)).Kind);
    }

    // One fork of method 1 without arguments.
    private static byte[] BatchOf(byte first) => [first, first, 1, 1, 8, 0, 0, 2, 1];

    private static async Task<ulong> ReconnectAsync(CoreUnderTest core, ulong generation)
    {
        await using IConnection again = await HelloAsync(core, s_hello with { Generation = generation });
        return PeerAnswer.Read((await ReadAsync(again)).Body).Durable.Total;
    }

    private static async Task<ScriptedApp> PrimaryAsync(CoreUnderTest core)
    {
        ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        return app;
    }

    private static async Task<IConnection> ConnectAsync(CoreUnderTest core) =>
        await core.Network.Node("shop").ConnectAsync(CoreUnderTest.PeerAddress, default);

    private static async Task<IConnection> HelloAsync(CoreUnderTest core, PeerHello hello)
    {
        IConnection connection = await ConnectAsync(core);
        var body = new ArrayBufferWriter<byte>();
        hello.Write(body);
        await FrameSender.SendAsync(connection.Output, FrameKind.Hello, body.WrittenMemory);
        return connection;
    }

    private static async Task<(FrameKind Kind, byte[] Body)> ReadAsync(IConnection connection) =>
        await FrameSender.ReadSmallAsync(connection.Input, default).AsTask().OrFail() ?? throw new EndOfStreamException();

    private static async Task<string> ReadGoodbyeAsync(IConnection connection)
    {
        (FrameKind kind, byte[] body) = await ReadAsync(connection);
        Assert.Equal(FrameKind.Goodbye, kind);
        return PeerGoodbye.Read(body).Code;
    }

    private static async Task<string> RefusalAsync(CoreUnderTest core, PeerHello hello)
    {
        await using IConnection connection = await HelloAsync(core, hello);
        return await ReadGoodbyeAsync(connection);
    }
}
