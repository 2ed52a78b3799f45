using System.Buffers;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>
/// A sender that was erased and made again under its name (docs/internals/exactly-once.md H16), while the catalog takes its time: one
/// connection counts, whatever order the answers come in.
/// </summary>
public sealed class PeerAdmissionTests
{
    private static readonly Guid s_first = ScriptedPeer.Hello.FromId;
    private static readonly Guid s_second = new("aaaaaaaa-0000-0000-0000-000000000002");
    private static readonly Guid s_third = new("aaaaaaaa-0000-0000-0000-000000000003");
    private static readonly PeerHello s_reborn = ScriptedPeer.Hello with { FromId = s_second, Epoch = 1 };

    [Fact]
    public async Task A_late_look_up_for_an_older_connection_leaves_the_newer_one_and_its_watermark_alone()
    {
        HeldCatalog? held = null;
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(catalog: inner => held = new HeldCatalog(inner, "bank"));
        await using ScriptedApp app = await IdleAppAsync(core);
        await using ScriptedPeer erased = await ConnectedAsync(core, ScriptedPeer.Hello);
        await RegisterAsync(core, s_second);
        held!.Hold();
        await using ScriptedPeer older = await ScriptedPeer.DialAsync(core, s_reborn);
        await held.UntilAskedAsync(1);
        held.AnswerNewQuestions();
        await using ScriptedPeer newer = await ConnectedAsync(core, s_reborn with { Generation = 2 });
        await newer.SendOneAsync(1);
        await UntilDurableAsync(core, "1/1@1");
        held.Answer(0);
        Assert.Equal("IC-4005", await older.HearRefusalAsync());
        await newer.SendOneAsync(2);
        await UntilDurableAsync(core, "2/2@1");
    }

    [Fact] // The connection that was answered first has gone; what it brought was logged all the same.
    public async Task A_late_look_up_does_not_wipe_what_a_connection_brought_that_has_ended()
    {
        HeldCatalog? held = null;
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(catalog: inner => held = new HeldCatalog(inner, "bank"));
        await using ScriptedApp app = await IdleAppAsync(core);
        await using ScriptedPeer erased = await ConnectedAsync(core, ScriptedPeer.Hello);
        await RegisterAsync(core, s_second);
        held!.Hold();
        await using ScriptedPeer older = await ScriptedPeer.DialAsync(core, s_reborn);
        await held.UntilAskedAsync(1);
        held.AnswerNewQuestions();
        await using (ScriptedPeer newer = await ConnectedAsync(core, s_reborn with { Generation = 2 }))
        {
            await newer.SendOneAsync(1);
            await UntilDurableAsync(core, "1/1@1");
        }

        await Within.Until(() => core.Status.Snapshot().Inputs.Any(static input => input is { Peer: "shop", Connected: false }));
        held.Answer(0);
        Assert.Equal(new Watermark(1, 1, 1), await older.HearWatermarkAsync(FrameKind.Answer));
    }

    [Fact]
    public async Task An_answer_of_the_catalog_that_was_overtaken_by_another_life_of_the_sender_counts_for_nothing()
    {
        HeldCatalog? held = null;
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(catalog: inner => held = new HeldCatalog(inner, "bank"));
        await using ScriptedApp app = await IdleAppAsync(core);
        await using ScriptedPeer first = await ConnectedAsync(core, ScriptedPeer.Hello);
        await RegisterAsync(core, s_second);
        held!.Hold();
        await using ScriptedPeer second = await ScriptedPeer.DialAsync(core, s_reborn);
        await held.UntilAskedAsync(1); // The answer will be yes, as of now.
        held.AnswerNewQuestions();
        await RegisterAsync(core, s_third);
        await using ScriptedPeer third = await ConnectedAsync(core, s_reborn with { FromId = s_third });
        await third.SendOneAsync(1);
        await UntilDurableAsync(core, "1/1@1");
        held.Answer(0);
        Assert.Equal("IC-4004", await second.HearRefusalAsync());
        await third.SendOneAsync(2);
        await UntilDurableAsync(core, "2/2@1");
    }

    [Fact] // IC-3016: its operator had started it on a wrong store, and has stopped that life before it sent anything.
    public async Task A_sender_that_comes_back_after_another_of_its_name_only_said_Hello_goes_on_after_its_own_messages()
    {
        var log = new LogStoreEnvironment();
        await using (CoreUnderTest core = await CoreUnderTest.StartAsync(log: log))
        {
            await using ScriptedApp app = await IdleAppAsync(core);
            await SendAsync(core, ScriptedPeer.Hello, Watermark.None, 1, 2);
            await RegisterAsync(core, s_second);
            await SendAsync(core, s_reborn, Watermark.None);
            await RegisterAsync(core, s_first);
            await SendAsync(core, ScriptedPeer.Hello with { Epoch = 6 }, new Watermark(2, 2, 5), 3);
        }

        await using CoreUnderTest restarted = await CoreUnderTest.StartAsync(log: log);
        await SendAsync(restarted, ScriptedPeer.Hello with { Epoch = 6, Generation = 2 }, new Watermark(3, 3, 6));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_sender_that_comes_back_after_another_of_its_name_has_sent_goes_on_after_its_own_messages(bool saved)
    {
        var log = new LogStoreEnvironment();
        await using (CoreUnderTest core = await CoreUnderTest.StartAsync(log: log))
        {
            await using ScriptedApp app = await IdleAppAsync(core);
            await SendAsync(core, ScriptedPeer.Hello, Watermark.None, 1, 2);
            await RegisterAsync(core, s_second);
            await SendAsync(core, s_reborn, Watermark.None, 1);
            if (saved)
            {
                for (int record = 1; record <= 4; record++)
                {
                    await app.HearAsync(BindingMessageType.RecordInfo);
                }

                Task<ulong> wanted = core.Status.CheckpointAsync(CancellationToken.None);
                await app.HearAsync(BindingMessageType.TakeCheckpoint);
                await app.SayAsync(BindingMessageType.Checkpoint, static output => output.Write((ReadOnlySpan<byte>)[0]));
                Assert.Equal(4UL, await wanted.OrFail());
            }
        }

        await using CoreUnderTest restarted = await CoreUnderTest.StartAsync(log: log);
        await RegisterAsync(restarted, s_first);
        await SendAsync(restarted, ScriptedPeer.Hello with { Epoch = 6 }, new Watermark(2, 2, 5), 3);
        await RegisterAsync(restarted, s_second);
        await SendAsync(restarted, s_reborn with { Epoch = 2 }, new Watermark(1, 1, 1), 2);
    }

    private static async Task SendAsync(CoreUnderTest core, PeerHello hello, Watermark behind, params byte[] numbers)
    {
        await using ScriptedPeer peer = await ScriptedPeer.DialAsync(core, hello);
        Assert.Equal(behind, await peer.HearWatermarkAsync(FrameKind.Answer));
        foreach (byte number in numbers)
        {
            await peer.SendOneAsync(number);
            await UntilDurableAsync(core, $"{number}/{number}@{hello.Epoch}");
        }
    }

    private static Task UntilDurableAsync(CoreUnderTest core, string watermark) =>
        Within.Until(() => core.Describe().Contains($"from shop: {watermark} durable {watermark}", StringComparison.Ordinal));

    private static async Task RegisterAsync(CoreUnderTest core, Guid id) => Assert.NotNull(await core.Catalog.PutAsync(
        new CatalogEntry { Instance = "shop", InstanceId = id.ToString("N"), PeerAddress = "pipe:shop" },
        (await core.Catalog.GetAsync("shop"))?.Version));

    private static async Task<ScriptedPeer> ConnectedAsync(CoreUnderTest core, PeerHello hello)
    {
        ScriptedPeer peer = await ScriptedPeer.DialAsync(core, hello);
        Assert.Equal(Watermark.None, await peer.HearWatermarkAsync(FrameKind.Answer));
        return peer;
    }

    private static async Task<ScriptedApp> IdleAppAsync(CoreUnderTest core)
    {
        ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        return app;
    }
}
