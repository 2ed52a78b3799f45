using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Transport.Memory;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>What serves a connection of a sender ends with it: else it keeps its buffer, and one of the places that all senders share.
/// </summary>
public sealed class PeerHandlerTests
{
    private readonly MemoryNetwork _network = new(new MemoryNetworkOptions());
    private readonly CountedHandlers _served;
    private int _held;

    public PeerHandlerTests() => _served = new CountedHandlers(_network.Node("bank"));

    [Fact] // An app may stand still for days, and a sender comes again every few seconds.
    public async Task A_batch_that_waits_for_the_app_keeps_no_connection_that_has_gone()
    {
        var limits = new CoreLimits
        {
            Decided = limit =>
            {
                if (limit == CoreLimit.Lag)
                {
                    Interlocked.Increment(ref _held);
                }
            },
        };
        await using CoreUnderTest core =
            await CoreUnderTest.StartAsync(peers: _served, limits: limits, change: static options => options.MaxLag = 1);
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.Rpc); // And says nothing more.
        for (uint generation = 1; generation <= 3; generation++)
        {
            int held = Volatile.Read(ref _held);
            PeerHello hello = ScriptedPeer.Hello with { Generation = generation };
            await using ScriptedPeer data = await DialAsync(hello), control = await DialAsync(hello with { Channel = PeerChannel.Control });
            await data.SendOneAsync(1);
            await Within.Until(() => Volatile.Read(ref _held) > held);
            data.Abort();
            control.Abort();
        }

        await Within.Until(() => _served.Open == 0);
        Assert.False(core.Running.IsCompleted);
    }

    [Fact] // No coordinator of ours opens a second one.
    public async Task A_second_control_connection_ends_the_first_one()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(peers: _served);
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        PeerHello hello = ScriptedPeer.Hello with { Channel = PeerChannel.Control };
        await using ScriptedPeer data = await DialAsync(ScriptedPeer.Hello), first = await DialAsync(hello);
        await using ScriptedPeer second = await ScriptedPeer.DialAsync(_network.Node("shop"), CoreUnderTest.PeerAddress, hello);
        await Within.Until(() => first.HasNews); // It has hung up, or says one thing more.
        data.Abort();
        first.Abort();
        second.Abort();
        await Within.Until(() => _served.Open == 0);
    }

    private async Task<ScriptedPeer> DialAsync(PeerHello hello)
    {
        ScriptedPeer peer = await ScriptedPeer.DialAsync(_network.Node("shop"), CoreUnderTest.PeerAddress, hello);
        await peer.HearWatermarkAsync(hello.Channel == PeerChannel.Data ? FrameKind.Answer : FrameKind.Trim);
        return peer;
    }
}
