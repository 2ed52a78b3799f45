using System.Buffers;
using Ambrosia.Coordinator.Errors;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>
/// A destination that claims to have more than was ever sent to it (docs/internals/exactly-once.md H19). Any destination can claim that:
/// alone it has a link that does not work, and nobody ends.
/// </summary>
public sealed class ClaimTests
{
    private const ulong Much = 1_000_000;
    private ulong _at;

    [Fact]
    public async Task A_destination_that_claims_what_was_never_sent_ends_nobody()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using AnsweringPeer shop = await AnsweringPeer.StartAsync(core, "shop", durable: Much);
        await using ScriptedApp app = await SendingAppAsync(core);
        await Within.Until(() => shop.Dialled > 3);
        await RequireAliveAsync(core);
        Assert.Single(core.Lines.All, static line =>
            line.Contains("IC-6004", StringComparison.Ordinal) && line.Contains("1000000", StringComparison.Ordinal));
        Assert.Equal(0, shop.Batches);
    }

    [Fact]
    public async Task An_instance_of_which_the_catalog_names_a_later_life_ends_when_a_destination_has_more_than_its_log()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await SendingAppAsync(core);
        CatalogRow own = (await core.Catalog.GetAsync("bank"))!;
        Assert.NotNull(await core.Catalog.PutAsync(own.Entry with { Epoch = own.Entry.Epoch + 1 }, own.Version));
        await using AnsweringPeer shop = await AnsweringPeer.StartAsync(core, "shop", durable: 3);
        CoordinatorException end = await Assert.ThrowsAsync<CoordinatorException>(() => core.Running.OrFail());
        Assert.Equal("IC-6002", end.Code);
    }

    [Fact] // An older copy of a log opens the epoch that the lost life had.
    public async Task An_instance_whose_epoch_the_catalog_has_named_before_ends_when_a_destination_has_more_than_its_log()
    {
        var log = new LogStoreEnvironment();
        await using (CoreUnderTest first = await CoreUnderTest.StartAsync(log: log))
        {
            await using ScriptedApp app = await SendingAppAsync(first);
            await ExecuteAsync(app);
            await NextAsync(app);
            CatalogRow own = (await first.Catalog.GetAsync("bank"))!;
            Assert.NotNull(await first.Catalog.PutAsync(own.Entry with { Epoch = own.Entry.Epoch + 1 }, own.Version));
        }

        await using CoreUnderTest second = await CoreUnderTest.StartAsync(log: log);
        await using ScriptedApp last = await ReplayAsync(second);
        await RequireAliveAsync(second);
        await using AnsweringPeer shop = await AnsweringPeer.StartAsync(second, "shop", durable: 3);
        CoordinatorException end = await Assert.ThrowsAsync<CoordinatorException>(() => second.Running.OrFail());
        Assert.Equal("IC-6002", end.Code);
    }

    [Fact]
    public async Task A_destination_that_got_some_and_then_claims_more_ends_nobody_now_or_at_the_next_replay()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        bool lies = false;
        await using AnsweringPeer shop = await AnsweringPeer.StartAsync(
            core, "shop", hello => lies ? new Watermark(Much, Much, 0) : new Watermark(0, 0, hello.Epoch));
        await using (ScriptedApp app = await SendingAppAsync(core))
        {
            await Within.Until(() => shop.Batches > 0);
            lies = true;
            int before = shop.Dialled;
            await Within.Until(() => shop.Dialled > before + 2);
            await ExecuteAsync(app);
            await NextAsync(app);
        }

        await using ScriptedApp next = await ReplayAsync(core);
        await RequireAliveAsync(core);
        Assert.Contains(core.Lines.All, static line => line.Contains("IC-6004", StringComparison.Ordinal));
    }

    [Fact]
    public async Task What_a_destination_claims_during_a_recovery_is_not_there_at_the_next_one()
    {
        var log = new LogStoreEnvironment();
        await using (CoreUnderTest first = await CoreUnderTest.StartAsync(log: log))
        {
            await using ScriptedApp app = await SendingAppAsync(first);
            await ExecuteAsync(app);
            await NextAsync(app);
        }

        await using (CoreUnderTest second = await CoreUnderTest.StartAsync(log: log))
        {
            await using AnsweringPeer shop = await AnsweringPeer.StartAsync(
                second, "shop", static _ => new Watermark(Much, Much, 0), static hello => new Watermark(Much, Much, hello.Epoch));
            await using ScriptedApp app = await AttachAsync(second);
            await NextAsync(app);
            await ExecuteAsync(app); // What is sent to the shop is on its way, while the replay goes on.
            await Within.Until(() =>
                second.Lines.All.Any(static line => line.Contains("Output to shop connected", StringComparison.Ordinal)));
            await shop.Trimmed;
            await Within.Until(() => second.Core.OwesTheLogNothing); // Heartbeats have what waits logged.
            await Task.WhenAny(FinishAsync(app), second.Running);
            CoordinatorException diverged = await Assert.ThrowsAsync<CoordinatorException>(() => second.Running.OrFail());
            Assert.Equal("IC-6002", diverged.Code);
        }

        await using CoreUnderTest third = await CoreUnderTest.StartAsync(log: log);
        await using ScriptedApp last = await ReplayAsync(third);
        await RequireAliveAsync(third);
    }

    private async Task<ScriptedApp> SendingAppAsync(CoreUnderTest core)
    {
        ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await NextAsync(app);
        await Within.Until(() => core.Catalog.GetAsync("bank").AsTask().GetAwaiter().GetResult() is not null);
        await ExecuteAsync(app);
        await NextAsync(app);
        return app;
    }

    /// <summary>The app of these tests: two messages to the shop at the first record, and one to itself at the first two.</summary>
    private async Task ExecuteAsync(ScriptedApp app)
    {
        if (_at == 1)
        {
            await app.SayAsync(BindingMessageType.Destination, new DestinationName(0, "shop").Write);
            await app.SayAsync(BindingMessageType.Destination, new DestinationName(1, "").Write);
            await app.SayAsync(BindingMessageType.Outputs, static output =>
                output.Write((ReadOnlySpan<byte>)[0, 2, 8, 0, 0, 2, 1, 8, 0, 0, 2, 1]));
        }

        await app.SayAsync(BindingMessageType.Outputs, static output => output.Write((ReadOnlySpan<byte>)[1, 1, 8, 0, 0, 2, 1]));
        await app.DoneAsync(_at);
    }

    /// <summary>A new app executes the log as the first one did, and acts.</summary>
    private async Task<ScriptedApp> ReplayAsync(CoreUnderTest core)
    {
        ScriptedApp app = await AttachAsync(core);
        await NextAsync(app);
        await ExecuteAsync(app);
        await FinishAsync(app);
        await Within.Until(() => core.Running.IsCompleted || core.Status.Snapshot().Role == "primary");
        return app;
    }

    private static async Task<ScriptedApp> AttachAsync(CoreUnderTest core)
    {
        ScriptedApp app = await core.ConnectAppAsync();
        await app.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        return app;
    }

    private async Task FinishAsync(ScriptedApp app)
    {
        await NextAsync(app);
        await ExecuteAsync(app);
        await NextAsync(app);
        await app.DoneAsync(_at);
        await app.HearAsync(BindingMessageType.BecomingPrimary);
        await app.SayAsync(BindingMessageType.BecomingPrimary, static _ => { });
    }

    /// <summary>The next record with a message: others say where something was sent.</summary>
    private async Task NextAsync(ScriptedApp app)
    {
        RecordInfo record;
        do
        {
            record = RecordInfo.Read(await app.HearAsync(BindingMessageType.RecordInfo));
        }
        while (record.MessageCount == 0);
        _at = record.Lsn;
        await app.HearAsync(BindingMessageType.Rpc);
    }

    private static async Task RequireAliveAsync(CoreUnderTest core)
    {
        Assert.False(core.Running.IsCompleted, core.Running.Exception?.Message);
        await using ScriptedPeer other = await ScriptedPeer.DialAsync(core, ScriptedPeer.Hello with { From = "auction" });
        Assert.Equal(Watermark.None, await other.HearWatermarkAsync(FrameKind.Answer));
        Assert.False(core.Running.IsCompleted, core.Running.Exception?.Message);
    }
}
