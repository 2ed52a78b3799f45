using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Memory;
using Ambrosia.ImmortalCoordinator.Tests.Support;

namespace Ambrosia.ImmortalCoordinator.Tests.Transport;

public sealed class MemoryFaultsTests
{
    private static readonly EndPointName s_bank = EndPointName.Tcp("bank.example", 0);

    private readonly MemoryNetwork _network = new(new MemoryNetworkOptions { BufferBytes = 1024 });

    [Fact]
    public async Task A_cut_link_tells_both_sides()
    {
        (IConnection client, IConnection server, MemoryLink link) = await ConnectAsync();
        await client.SendAsync("lost");
        Task read = client.Input.ReadAsync().AsTask();
        link.Cut();
        await Assert.ThrowsAsync<ConnectionLostException>(() => read.OrFail());
        await Assert.ThrowsAsync<ConnectionLostException>(async () => await server.Input.ReadAsync());
        await Assert.ThrowsAsync<ConnectionLostException>(() => server.SendAsync("x"));
    }

    [Fact]
    public async Task A_stalled_link_delivers_nothing_until_it_resumes_and_then_everything()
    {
        (IConnection client, IConnection server, MemoryLink link) = await ConnectAsync();
        link.Stall(forward: true, backward: false);
        await client.SendAsync("later");
        Task<ReadResult> read = server.Input.ReadAsync().AsTask();
        Assert.False(server.Input.TryRead(out _));
        await server.SendAsync("other way");
        Assert.Equal("other way", await client.ReceiveAsync(9));
        Assert.False(read.IsCompleted);
        link.Resume();
        ReadResult result = await read.OrFail();
        Assert.Equal(5, result.Buffer.Length);
    }

    [Fact]
    public async Task A_read_that_was_waiting_when_the_link_was_stalled_sees_nothing_either()
    {
        (IConnection client, IConnection server, MemoryLink link) = await ConnectAsync();
        Task<ReadResult> read = server.Input.ReadAsync().AsTask();
        link.Stall();
        await client.SendAsync("held");
        Assert.False(read.IsCompleted);
        server.Input.CancelPendingRead();
        ReadResult cancelled = await read.OrFail();
        Assert.True(cancelled.IsCanceled);
        Assert.True(cancelled.Buffer.IsEmpty);
        server.Input.AdvanceTo(cancelled.Buffer.Start);
        link.Resume();
        Assert.Equal("held", await server.ReceiveAsync(4));
    }

    [Fact]
    public async Task A_stalled_link_slows_its_sender_when_its_buffer_is_full()
    {
        (IConnection client, IConnection server, MemoryLink link) = await ConnectAsync();
        link.Stall();
        client.Output.Write(new byte[4096]);
        Task flush = client.Output.FlushAsync().AsTask();
        Assert.False(flush.IsCompleted);
        link.Resume();
        ReadResult result = await server.Input.ReadAtLeastAsync(4096).AsTask().OrFail();
        server.Input.AdvanceTo(result.Buffer.End);
        await flush.OrFail();
    }

    [Fact]
    public async Task A_lost_host_is_silent()
    {
        (IConnection client, IConnection server, _) = await ConnectAsync();
        Task<ReadResult> read = client.Input.ReadAsync().AsTask();
        _network.LoseHost("bank");
        server.Abort();
        await server.DisposeAsync();
        Assert.False(read.IsCompleted);
        await Assert.ThrowsAsync<ConnectFailedException>(async () => await _network.Node("shop").ConnectAsync(s_bank, default));
        client.Abort(); // What a missing heartbeat leads to.
        await Assert.ThrowsAsync<ConnectionLostException>(() => read.OrFail());
    }

    [Fact]
    public async Task A_killed_process_tells_its_peers_and_its_address_is_free_for_the_next()
    {
        (IConnection client, _, MemoryLink link) = await ConnectAsync();
        _network.Kill("bank");
        await Assert.ThrowsAsync<ConnectionLostException>(async () => await client.Input.ReadAsync());
        await using IListener next = await _network.Node("bank").ListenAsync(link.EndPoint, _ => Task.CompletedTask, default);
        await using IConnection again = await _network.Node("shop").ConnectAsync(link.EndPoint, default);
        Assert.True(await again.IsAtEndAsync());
    }

    [Fact]
    public async Task A_blocked_pair_cannot_connect_and_others_can()
    {
        await using IListener listener = await _network.Node("bank").ListenAsync(s_bank, _ => Task.CompletedTask, default);
        _network.Block("shop", "bank");
        await Assert.ThrowsAsync<ConnectFailedException>(async () => await _network.Node("shop").ConnectAsync(listener.EndPoint, default));
        await using IConnection other = await _network.Node("auction").ConnectAsync(listener.EndPoint, default);
        _network.Unblock("shop", "bank");
        await using IConnection healed = await _network.Node("shop").ConnectAsync(listener.EndPoint, default);
        Assert.Equal("shop", _network.Links[^1].From);
    }

    [Fact]
    public async Task Links_are_forgotten_when_both_sides_have_gone()
    {
        (IConnection client, IConnection server, _) = await ConnectAsync();
        await client.DisposeAsync();
        Assert.Single(_network.Links);
        await server.DisposeAsync();
        Assert.Empty(_network.Links);
    }

    private async Task<(IConnection Client, IConnection Server, MemoryLink Link)> ConnectAsync()
    {
        var accepted = new TaskCompletionSource<IConnection>(TaskCreationOptions.RunContinuationsAsynchronously);
        IListener listener = await _network.Node("bank").ListenAsync(
            s_bank,
            connection =>
            {
                accepted.SetResult(connection);
                return new TaskCompletionSource().Task;
            },
            default);
        IConnection client = await _network.Node("shop").ConnectAsync(listener.EndPoint, default);
        return (client, await accepted.Task.OrFail(), _network.Links[^1]);
    }
}
