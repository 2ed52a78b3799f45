using System.Buffers;
using Ambrosia.Coordinator.Errors;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>G7, and its limit: who is fenced ends, and nobody else does because a destination says so.</summary>
public sealed class AccusationTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_instance_whose_lease_is_its_own_goes_on_when_a_destination_says_that_it_is_fenced(bool politely)
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await SendingAppAsync(core);
        await using AccusingPeer shop = await AccusingPeer.StartAsync(core, "shop", politely);
        await Within.Until(() => core.Lines.All.Any(static line => line.Contains("IC-3012", StringComparison.Ordinal)));
        await Within.Until(() => shop.Dialled > 2);
        Assert.False(core.Running.IsCompleted);
        await using ScriptedPeer other = await ScriptedPeer.DialAsync(core, ScriptedPeer.Hello with { From = "auction" });
        Assert.Equal(Watermark.None, await other.HearWatermarkAsync(FrameKind.Answer));
        Assert.Single(core.Lines.All, static line => line.Contains("IC-3012", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_instance_whose_lock_is_gone_ends_when_a_destination_says_that_it_is_fenced(bool politely)
    {
        var disk = new HeldDisk();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: disk.Environment);
        await using ScriptedApp app = await SendingAppAsync(core);
        var memory = (MemoryFileSystem)disk.Environment.Memory;
        string file = memory.AllFiles().Single(static path => path.EndsWith("/lock", StringComparison.Ordinal));
        await memory.NewProcess().DeleteAsync(file);
        await using AccusingPeer shop = await AccusingPeer.StartAsync(core, "shop", politely);
        CoordinatorException end = await Assert.ThrowsAsync<CoordinatorException>(() => core.Running.OrFail());
        Assert.Equal("IC-3001", end.Code);
    }

    [Fact]
    public async Task An_instance_whose_successor_is_in_the_catalog_ends_when_a_destination_says_that_it_is_fenced()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await SendingAppAsync(core);
        CatalogRow own = (await core.Catalog.GetAsync("bank"))!;
        Assert.NotNull(await core.Catalog.PutAsync(own.Entry with { Epoch = own.Entry.Epoch + 1 }, own.Version));
        await using AccusingPeer shop = await AccusingPeer.StartAsync(core, "shop", politely: true);
        CoordinatorException end = await Assert.ThrowsAsync<CoordinatorException>(() => core.Running.OrFail());
        Assert.Equal("IC-3001", end.Code);
    }

    private static async Task<ScriptedApp> SendingAppAsync(CoreUnderTest core)
    {
        ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.Rpc);
        await Within.Until(() => core.Catalog.GetAsync("bank").AsTask().GetAwaiter().GetResult() is not null);
        await app.SayAsync(BindingMessageType.Destination, new DestinationName(0, "shop").Write);
        await app.SayAsync(BindingMessageType.Outputs, static output => output.Write((ReadOnlySpan<byte>)[0, 1, 8, 0, 0, 2, 1]));
        await app.DoneAsync(1);
        return app;
    }
}
