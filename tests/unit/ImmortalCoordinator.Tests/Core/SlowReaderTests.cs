using Ambrosia.ImmortalCoordinator.Tests.Poison;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>
/// One side of a link does not read for half a minute, on real sockets with the product's own limits. It is slow and not dead: the link
/// lives, and what was sent arrives over it.
/// </summary>
public sealed class SlowReaderTests
{
    [Fact] // All wait at the same time: only the real time can show that no limit of the system strikes.
    public Task A_link_over_TCP_outlives_a_reader_that_stalls_on_either_side_of_it() =>
        Task.WhenAll(AppStallsAsync(), CoordinatorOfAnAppStallsAsync(), ReceiverStallsAsync(), CoordinatorStallsItsSenderAsync());

    private static async Task AppStallsAsync()
    {
        var tcp = new LoopbackTcp();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(apps: tcp);
        await using ScriptedApp app = await IdleAppAsync(tcp);
        await app.ReportAsync(1, 1, complete: true);
        for (int i = 0; i < Stall.Pieces; i++)
        {
            await app.SendLargeImpulseAsync(Stall.Piece);
        }

        await Stall.WithAsync(Within.Until(() => core.Status.Snapshot().App.LagBytes == 0, Timeout.InfiniteTimeSpan));
        await ExecuteAsync(app, Stall.Pieces);
    }

    private static async Task CoordinatorOfAnAppStallsAsync()
    {
        var tcp = new LoopbackTcp();
        var disk = new HeldDisk();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: disk.Environment, apps: tcp, change: static options =>
            (options.MaxBuffered, options.MaxSpill) = (2 * Stall.Piece, 4 * Stall.Piece));
        await using ScriptedApp app = await IdleAppAsync(tcp);
        await app.ReportAsync(1, 1, complete: true);
        disk.Hold();
        Task sending = SendAsync();
        try
        {
            await Stall.WithAsync(sending);
        }
        finally
        {
            disk.Release();
        }

        for (int got = 0; got < Stall.Pieces;)
        {
            got += (await app.HearRecordAsync()).MessageCount; // It reports nothing: it is still sending.
        }

        await sending;

        async Task SendAsync()
        {
            for (int i = 0; i < Stall.Pieces; i++)
            {
                await app.SendLargeImpulseAsync(Stall.Piece);
            }
        }
    }

    private static async Task ReceiverStallsAsync()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(peers: new LoopbackTcp());
        await using StallingPeer shop = await StallingPeer.StartAsync(core, "shop");
        await using ScriptedApp app = await ScriptedApp.ConnectAsync(core.Network.Node("app"));
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.Rpc);
        for (int i = 0; i < Stall.Pieces; i++)
        {
            await app.SendForkAsync("shop", Stall.Piece);
        }

        await app.ReportAsync(1, 1, complete: true);
        await Within.Until(() => shop.Sessions == 1);
        await Stall.WithAsync(Within.Until(() => shop.Sessions != 1, Timeout.InfiniteTimeSpan));
        shop.Read();
        await Within.Until(() => shop.Received == Stall.Pieces);
        Assert.Equal(1, shop.Sessions);
    }

    private static async Task CoordinatorStallsItsSenderAsync()
    {
        var tcp = new LoopbackTcp();
        await using CoreUnderTest core =
            await CoreUnderTest.StartAsync(peers: tcp, change: static options => options.MaxLag = 2 * Stall.Piece);
        await using ScriptedApp app = await ScriptedApp.ConnectAsync(core.Network.Node("app"));
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.Rpc); // What it does not report holds up its senders.
        await using ScriptedPeer data = await ScriptedPeer.DialAsync(tcp, await tcp.Address, ScriptedPeer.Hello);
        await data.HearWatermarkAsync(FrameKind.Answer);
        await using ScriptedPeer control =
            await ScriptedPeer.DialAsync(tcp, await tcp.Address, ScriptedPeer.Hello with { Channel = PeerChannel.Control });
        using var stop = new CancellationTokenSource();
        Task living = control.LiveAsync(stop.Token);
        Task sending = SendAsync();
        Exception? broken = await Record.ExceptionAsync(() => Stall.WithAsync(Task.WhenAny(sending, living).Unwrap()));
        Assert.True(broken is null, $"{broken}\nThe coordinator says:\n{string.Join('\n', core.Lines.All)}"); // It knows why.
        await app.ReportAsync(1, 1, complete: true);
        await ExecuteAsync(app, Stall.Pieces);
        await sending;
        await stop.CancelAsync();
        await living;

        async Task SendAsync()
        {
            for (int i = 1; i <= Stall.Pieces; i++)
            {
                await data.SendLargeAsync((byte)i, Stall.Piece);
            }
        }
    }

    private static async Task<ScriptedApp> IdleAppAsync(LoopbackTcp tcp)
    {
        ScriptedApp app = await ScriptedApp.ConnectAsync(tcp, await tcp.Address);
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.Rpc);
        return app;
    }

    private static async Task ExecuteAsync(ScriptedApp app, int count)
    {
        for (int got = 0; got < count;)
        {
            RecordInfo record = await app.HearRecordAsync();
            got += record.MessageCount;
            await app.ReportAsync(record.Lsn, record.MessageCount, complete: true);
        }
    }
}
