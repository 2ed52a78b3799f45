using System.Buffers;
using Ambrosia.Coordinator.Operations;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>
/// The receiver's rules of docs/internals/exactly-once.md#the-algorithm on a disk that does not sync: what was accepted is not yet what is
/// durable, and only that is said.
/// </summary>
public sealed class PeerDurabilityTests
{
    private static readonly PeerHello s_other = ScriptedPeer.Hello with
        { From = "auction", FromId = new Guid("aaaaaaaa-0000-0000-0000-000000000003") };

    [Fact] // docs/internals/exactly-once.md H1
    public async Task A_new_connection_is_answered_when_what_the_old_one_brought_is_durable_and_not_before()
    {
        var disk = new HeldDisk();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: disk.Environment);
        await using ScriptedApp app = await IdleAppAsync(core);
        await using ScriptedPeer old = await AcceptedAsync(core, disk);
        await using ScriptedPeer again = await ScriptedPeer.DialAsync(core, ScriptedPeer.Hello with { Generation = 2 });
        await Within.Until(() =>
            core.Lines.All.Any(static line => line.StartsWith("1408 shop is answered when", StringComparison.Ordinal)));
        await using ScriptedPeer other = await ScriptedPeer.DialAsync(core, s_other);
        await other.HearWatermarkAsync(FrameKind.Answer); // A peer that came later and waits for nothing was answered.
        bool early = again.HasNews;
        disk.Release();
        Assert.False(early);
        Assert.Equal(1UL, (await again.HearWatermarkAsync(FrameKind.Answer)).Total);
    }

    [Fact] // docs/internals/exactly-once.md D4
    public async Task Trims_say_what_is_durable_and_not_what_has_arrived()
    {
        var disk = new HeldDisk();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: disk.Environment);
        await using ScriptedApp app = await IdleAppAsync(core);
        await using ScriptedPeer data = await AcceptedAsync(core, disk);
        await using ScriptedPeer control = await ScriptedPeer.DialAsync(core, ScriptedPeer.Hello with { Channel = PeerChannel.Control });
        Watermark held = await control.HearWatermarkAsync(FrameKind.Trim);
        disk.Release();
        Assert.Equal(Watermark.None, held);
        Assert.Equal(new Watermark(1, 1, 5), await control.HearWatermarkAsync(FrameKind.Trim));
    }

    [Fact] // docs/internals/exactly-once.md D8: also the answer's epoch decides whether the sender goes on plainly.
    public async Task The_epoch_of_a_sender_outlives_its_receiver()
    {
        var disk = new HeldDisk();
        await using (CoreUnderTest first = await CoreUnderTest.StartAsync(log: disk.Environment))
        {
            await using ScriptedApp app = await IdleAppAsync(first);
            await using ScriptedPeer data = await AcceptedAsync(first, disk);
            disk.Release();
            await using ScriptedPeer again = await ScriptedPeer.DialAsync(first, ScriptedPeer.Hello with { Generation = 2 });
            Assert.Equal(new Watermark(1, 1, 5), await again.HearWatermarkAsync(FrameKind.Answer));
        }

        await using CoreUnderTest second = await CoreUnderTest.StartAsync(log: disk.Environment);
        await using ScriptedPeer zombie = await ScriptedPeer.DialAsync(second, ScriptedPeer.Hello with { Epoch = 4, Generation = 9 });
        Assert.Equal("IC-3002", await zombie.HearRefusalAsync());
        await using ScriptedPeer same = await ScriptedPeer.DialAsync(second, ScriptedPeer.Hello with { Generation = 3 });
        Assert.Equal(new Watermark(1, 1, 5), await same.HearWatermarkAsync(FrameKind.Answer));
    }

    [Fact] // docs/internals/exactly-once.md H9
    public async Task The_old_connection_is_closed_before_the_new_one_is_answered()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await IdleAppAsync(core);
        await using ScriptedPeer old = await ScriptedPeer.DialAsync(core, ScriptedPeer.Hello);
        await old.HearWatermarkAsync(FrameKind.Answer);
        await using ScriptedPeer again = await ScriptedPeer.DialAsync(core, ScriptedPeer.Hello with { Generation = 2 });
        await again.HearWatermarkAsync(FrameKind.Answer);
        Assert.True(old.HasNews); // Nothing was sent on it but the answer, which was read: this is its end.
    }

    [Fact] // docs/internals/exactly-once.md H9: the new connection was answered without it, so its sender sends it again.
    public async Task What_a_connection_brought_that_was_replaced_while_it_waited_for_room_is_not_logged()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: static options => options.MaxLag = 1);
        await using ScriptedApp app = await IdleAppAsync(core); // It has not executed what it got: senders wait.
        await using ScriptedPeer old = await ScriptedPeer.DialAsync(core, ScriptedPeer.Hello);
        await old.HearWatermarkAsync(FrameKind.Answer);
        await Within.Until(() => core.Status.Snapshot().App.HoldsInput);
        await old.SendOneAsync(1);
        await using ScriptedPeer other = await ScriptedPeer.DialAsync(core, s_other);
        await other.HearWatermarkAsync(FrameKind.Answer); // A peer that came later was answered: what came before was read.
        await using ScriptedPeer again = await ScriptedPeer.DialAsync(core, ScriptedPeer.Hello with { Generation = 2 });
        Assert.Equal(Watermark.None, await again.HearWatermarkAsync(FrameKind.Answer));
        await ReportAsync(app, 1);
        await other.SendOneAsync(1);
        // The one that had waited longer has had its turn.
        await Within.Until(() => core.Describe().Contains("from auction: 1/1@5 durable 1/1@5", StringComparison.Ordinal));
        Assert.DoesNotContain("from shop: 1/1@5", core.Describe(), StringComparison.Ordinal);
        await ReportAsync(app, 2);
        await again.SendOneAsync(1);
        await Within.Until(() => core.Describe().Contains("from shop: 1/1@5 durable 1/1@5", StringComparison.Ordinal));
    }

    [Fact] // docs/internals/exactly-once.md H25: a checkpoint that is cut now must hold it.
    public async Task What_an_instance_sends_to_itself_stays_buffered_until_it_is_durable()
    {
        var disk = new HeldDisk();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: disk.Environment);
        await using ScriptedApp app = await IdleAppAsync(core);
        disk.Hold();
        await app.SayAsync(BindingMessageType.Destination, new DestinationName(0, "").Write);
        await app.SayAsync(BindingMessageType.Outputs, static output => output.Write((ReadOnlySpan<byte>)[0, 1, 8, 0, 0, 2, 1]));
        await app.DoneAsync(1);
        await disk.UntilHeldAsync();
        await Within.Until(() => core.Status.Snapshot().Outputs is [{ Total: 2 }]); // OnFirstStart, and this.
        double then = core.Status.Snapshot().UptimeSeconds;
        await Within.Until(() => core.Status.Snapshot().UptimeSeconds > then);
        OutputStatus self = Assert.Single(core.Status.Snapshot().Outputs);
        disk.Release();
        Assert.Equal(self.Total - 1, self.Acknowledged);
        await Within.Until(() => core.Status.Snapshot().Outputs[0] is { } now && now.Acknowledged == now.Total);
    }

    private static Task ReportAsync(ScriptedApp app, ulong lsn) =>
        app.DoneAsync(lsn);

    // The app has got all there is: what becomes durable from here on is the test's.
    private static async Task<ScriptedApp> IdleAppAsync(CoreUnderTest core)
    {
        ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.Rpc);
        return app;
    }

    // A connection whose first message was accepted, and whose record is written and not synced.
    private static async Task<ScriptedPeer> AcceptedAsync(CoreUnderTest core, HeldDisk disk)
    {
        ScriptedPeer peer = await ScriptedPeer.DialAsync(core, ScriptedPeer.Hello);
        Assert.Equal(Watermark.None, await peer.HearWatermarkAsync(FrameKind.Answer));
        disk.Hold();
        await peer.SendOneAsync(1);
        await disk.UntilHeldAsync();
        await Within.Until(() => core.Describe().Contains("from shop: 1/1@5", StringComparison.Ordinal));
        return peer;
    }
}
