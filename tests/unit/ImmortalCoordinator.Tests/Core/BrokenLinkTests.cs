using Ambrosia.Coordinator.Settings;
using Ambrosia.ImmortalCoordinator.Tests.Poison;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>A connection that breaks is told with the system's reason: a reset is another matter than a time-out.</summary>
public sealed class BrokenLinkTests
{
    private const string Reset = "(errno 104)";

    [Fact]
    public async Task The_reason_why_an_apps_link_broke_is_logged()
    {
        var tcp = new LoopbackTcp();
        await using CoreUnderTest core =
            await CoreUnderTest.StartAsync(apps: tcp, change: static options => options.OnAppExit = AppExitPolicy.Wait);
        await using ScriptedApp app = await ScriptedApp.ConnectAsync(tcp, await tcp.Address);
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.Rpc);
        app.Abort();
        await SaysAsync(core, "1530 The app's link broke: connection with tcp:127.0.0.1:");
    }

    [Fact]
    public async Task The_reason_why_a_senders_link_broke_is_logged()
    {
        var tcp = new LoopbackTcp();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(peers: tcp);
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await using ScriptedPeer peer = await ScriptedPeer.DialAsync(tcp, await tcp.Address, ScriptedPeer.Hello);
        await peer.HearWatermarkAsync(FrameKind.Answer);
        peer.Abort();
        await SaysAsync(core, "1410 Input from shop lost: connection with tcp:127.0.0.1:");
    }

    [Fact]
    public async Task The_reason_why_a_receivers_link_broke_is_logged()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(peers: new LoopbackTcp());
        await using StallingPeer shop = await StallingPeer.StartAsync(core, "shop");
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.Rpc);
        await app.SendForkAsync("shop", 1);
        await app.ReportAsync(1, 1, complete: true);
        await Within.Until(() => core.Status.Snapshot().Outputs.Any(static output => output is { Peer: "shop", Connected: true }));
        shop.Abort();
        await SaysAsync(core, "1402 Output to shop waits: connection with tcp:127.0.0.1:");
    }

    private static async Task SaysAsync(CoreUnderTest core, string beginning)
    {
        await Within.Until(() => core.Lines.All.Any(line => line.StartsWith(beginning, StringComparison.Ordinal)));
        Assert.Contains(Reset, core.Lines.All.First(line => line.StartsWith(beginning, StringComparison.Ordinal)),
            StringComparison.Ordinal);
    }
}
