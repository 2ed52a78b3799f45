using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

public sealed class ImpulseTests : IAsyncDisposable
{
    private readonly ScriptedCoordinator _coordinator = new(static () => new Counter());

    private Counter App => (Counter)_coordinator.Immortal!;

    [Fact]
    public async Task An_impulse_to_itself_ends_with_the_result_of_its_handler()
    {
        await _coordinator.StartFirstAsync();

        Task<int> poke = App.Self.PokeImpulse(7);
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count == 1, "impulse");
        Assert.False(poke.IsCompleted);
        await _coordinator.SettleAsync();

        Assert.Equal(7, await poke);
        Assert.Equal(7, App.Total);
    }

    [Fact]
    public async Task Impulses_come_from_many_threads_at_once_and_each_gets_its_own_result()
    {
        await _coordinator.StartFirstAsync();
        Task[] threads = [.. Enumerable.Range(0, 4).Select(_ => Task.Run(async () =>
        {
            Task<int>[] pokes = [.. Enumerable.Range(0, 250).Select(_ => App.Self.PokeImpulse(1))];
            int[] results = await Task.WhenAll(pokes);
            Assert.Equal(results.Order(), results); // One thread's impulses keep their order.
        }))];

        Task all = Task.WhenAll(threads);
        while (!all.IsCompleted)
        {
            await _coordinator.UntilAsync(() => _coordinator.Impulses.Count > 0 || App.Total == 1000, "impulses");
            await _coordinator.SettleAsync();
            if (App.Total == 1000)
            {
                await all;
            }
        }

        await all;
        Assert.Equal(1000, App.Total);
    }

    [Fact]
    public async Task An_impulse_whose_handler_fails_fails_with_its_exception_and_is_reported()
    {
        await _coordinator.StartFirstAsync();

        Task<int> poke = App.Self.PokeImpulse(-1);
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count == 1, "impulse");
        await _coordinator.SettleAsync();

        Assert.Equal("negative", (await Assert.ThrowsAsync<InvalidOperationException>(() => poke)).Message);
        Assert.Single(_coordinator.Faults);
    }

    [Fact]
    public async Task The_outcome_is_unknown_when_the_connection_ends_before_the_handler()
    {
        await _coordinator.StartFirstAsync();
        Task<int> poke = App.Self.PokeImpulse(7);
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count == 1, "impulse");

        await _coordinator.KillAsync();

        await Assert.ThrowsAsync<ImpulseOutcomeUnknownException>(() => poke);
        Assert.Throws<InvalidOperationException>(() => { _ = App.Self.PokeImpulse(1); });
        Assert.True(App.Context!.Stopping.IsCancellationRequested);
    }

    [Fact] // G2: none is sent by a recovering instance.
    public async Task No_impulse_is_sent_before_the_app_is_primary()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.CheckpointAsync();
        await _coordinator.KillAsync();

        await _coordinator.RecoverAsync(becomePrimary: false);

        InvalidOperationException error = Assert.Throws<InvalidOperationException>(() => { _ = App.Self.PokeImpulse(1); });
        Assert.Contains("does not act for the immortal", error.Message, StringComparison.Ordinal);
        await _coordinator.BecomePrimaryAsync();
        Assert.True(SpinWait.SpinUntil(() => App.IsPrimary, TimeSpan.FromSeconds(60)), "The app has said that it acts, and does not.");
        _ = App.Self.PokeImpulse(1);
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count == 1, "impulse");
    }

    [Fact]
    public async Task An_impulse_logged_by_an_earlier_process_is_executed_again_and_concerns_no_waiter_here()
    {
        await _coordinator.StartFirstAsync();
        Task<int> poke = App.Self.PokeImpulse(7);
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count == 1, "impulse");
        await _coordinator.SettleAsync();
        await poke;
        await _coordinator.KillAsync();

        await _coordinator.RecoverAsync(0);
        Task<int> second = App.Self.PokeImpulse(1);
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count == 1, "impulse");
        Assert.False(second.IsCompleted);
        await _coordinator.SettleAsync();

        Assert.Equal(8, await second);
    }

    [Fact]
    public async Task An_impulse_to_another_immortal_ends_when_it_is_buffered_and_carries_no_token()
    {
        await _coordinator.StartFirstAsync();
        CounterProxy other = await ProxyOfAsync("other");

        await other.NoteImpulse(5);

        await _coordinator.UntilAsync(() => _coordinator.ForeignImpulses.Count == 1, "impulse");
        Assert.Equal("other", _coordinator.ForeignImpulses[0].Destination);
        Assert.Equal([0, 6, 2, 0x91, 5], _coordinator.ForeignImpulses[0].Data);
    }

    [Fact] // What its handler returns never comes here: a task with a result would end with one that nobody has computed.
    public async Task An_impulse_to_another_immortal_that_would_have_a_result_is_refused_before_anything_is_sent()
    {
        await _coordinator.StartFirstAsync();
        CounterProxy other = await ProxyOfAsync("other");

        InvalidOperationException refused = await Assert.ThrowsAsync<InvalidOperationException>(() => other.PokeImpulse(5));

        Assert.Contains("'other'", refused.Message, StringComparison.Ordinal);
        await other.NoteImpulse(6);
        await _coordinator.UntilAsync(() => _coordinator.ForeignImpulses.Count > 0, "impulse");
        Assert.Equal([0, 6, 2, 0x91, 6], Assert.Single(_coordinator.ForeignImpulses).Data);
    }

    [Fact]
    public async Task An_impulse_of_another_binding_which_has_no_token_is_executed()
    {
        await _coordinator.StartFirstAsync();

        await _coordinator.DeliverAsync(TestMessage.Call(RpcKind.Impulse, 7, static (ref Ambrosia.Serialization.MessagePackWriter w) =>
            { w.WriteArrayHeader(1); w.WriteInt64(3); }));

        Assert.Equal(3, App.Total);
    }

    public ValueTask DisposeAsync() => _coordinator.DisposeAsync();

    private async Task<CounterProxy> ProxyOfAsync(string name)
    {
        await _coordinator.DeliverAsync(DispatchTests.AskPeer(name, 1));
        return App.Peer!;
    }
}
