using System.Text;
using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

public sealed class TimeTests : IAsyncDisposable
{
    private readonly ScriptedCoordinator _coordinator = new(static () => new Counter());

    [Fact] // docs/internals/exactly-once.md H10
    public async Task A_delay_ends_by_an_impulse_and_log_time_is_not_before_its_deadline()
    {
        await _coordinator.StartFirstAsync();
        _coordinator.Now = DateTimeOffset.UtcNow.UtcTicks;
        await _coordinator.DeliverAsync(Nap(20));

        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count + _coordinator.SentTo("sink").Count == 1, "timer impulse");
        await _coordinator.SettleAsync(); // Logged with a clock that stands still: the deadline itself moves log time.

        DateTimeOffset deadline = new DateTimeOffset(_coordinator.Now, TimeSpan.Zero).AddMilliseconds(20);
        Assert.Contains($"woke at {deadline:O}", Text(Assert.Single(_coordinator.SentTo("sink"))), StringComparison.Ordinal);
    }

    [Fact] // docs/internals/exactly-once.md H10
    public async Task A_timer_fires_once_however_often_its_impulse_is_logged()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Nap(0));
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count + _coordinator.SentTo("sink").Count == 1, "timer impulse");
        byte[] fire = TestMessage.Frame(BindingMessageType.Rpc, [0, 3, 2, 2]); // Timer 1, as the binding itself sends it.

        await _coordinator.DeliverAsync(fire, fire);
        await _coordinator.DeliverAsync(fire);

        Assert.Single(_coordinator.SentTo("sink"));
    }

    [Fact] // docs/internals/exactly-once.md H10
    public async Task A_late_impulse_of_a_timer_that_has_fired_fires_no_other()
    {
        _coordinator.Now = DateTimeOffset.UtcNow.UtcTicks; // The second timer is not due.
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Nap(0));
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count + _coordinator.SentTo("sink").Count == 1, "timer impulse");
        await _coordinator.DeliverAsync(Nap(int.MaxValue));
        byte[] fire = TestMessage.Frame(BindingMessageType.Rpc, [0, 3, 2, 2]); // Timer 1, as the binding itself sends it.

        await _coordinator.DeliverAsync(fire, fire);

        Assert.Single(_coordinator.SentTo("sink"));
    }

    [Fact] // docs/internals/exactly-once.md H10
    public async Task A_pending_timer_rings_again_after_recovery_whatever_was_sent_before()
    {
        await _coordinator.StartFirstAsync();
        _coordinator.LogsSelfMessages = false;
        await _coordinator.DeliverAsync(Nap(1));
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count == 1, "timer impulse");
        _coordinator.LogsSelfMessages = true;
        _coordinator.Impulses.Clear(); // Lost: it was never logged.
        await _coordinator.KillAsync();

        await _coordinator.RecoverAsync(0);
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count == 1 || _coordinator.SentTo("sink").Count == 1, "timer impulse");
        await _coordinator.SettleAsync();

        Assert.Single(_coordinator.SentTo("sink"));
    }

    [Fact]
    public async Task A_call_with_a_timeout_fails_when_the_reply_does_not_come_and_ignores_a_late_one()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Race(1));
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count + _coordinator.SentTo("client").Count == 1, "timer impulse");
        await _coordinator.SettleAsync();
        Assert.Equal(TestMessage.Reply(RpcForm.Value, 11, 0, [0xFF]), Assert.Single(_coordinator.SentTo("client")));

        await _coordinator.DeliverAsync(TestMessage.Reply(RpcForm.Value, 1, DispatchTests.NumberOf(_coordinator.SentTo("slow")[0]), [1]));

        Assert.Single(_coordinator.SentTo("client"));
    }

    [Fact] // docs/internals/exactly-once.md H20
    public async Task Time_and_chance_are_the_same_when_the_message_is_executed_again()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Chance(), Chance());
        await _coordinator.DeliverAsync(Chance());
        string[] first = [.. _coordinator.SentTo("sink").Select(Text)];
        Assert.Equal(3, first.Distinct().Count());
        await _coordinator.KillAsync();

        await _coordinator.RecoverAsync(0);

        Assert.Empty(_coordinator.Divergences);
        Assert.Equal(first, _coordinator.SentTo("sink").Select(Text));
    }

    [Fact] // docs/internals/exactly-once.md H10
    public async Task Log_time_never_goes_back()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Chance());
        string later = new DateTimeOffset(_coordinator.Now, TimeSpan.Zero).ToString("O");
        _coordinator.Now -= TimeSpan.TicksPerHour;

        await _coordinator.DeliverAsync(Chance());

        Assert.All(_coordinator.SentTo("sink"), message => Assert.Contains(later, Text(message), StringComparison.Ordinal));
    }

    public ValueTask DisposeAsync() => _coordinator.DisposeAsync();

    private static string Text(byte[] message) => Encoding.UTF8.GetString(message);

    private static byte[] Nap(int milliseconds) =>
        TestMessage.Call(RpcKind.Fork, 4, (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteInt64(milliseconds); });

    private static byte[] Chance() => TestMessage.Call(RpcKind.Fork, 6, static (ref MessagePackWriter w) => w.WriteArrayHeader(0));

    private static byte[] Race(int milliseconds) =>
        TestMessage.Call(RpcKind.Async, 11, (ref MessagePackWriter w) =>
            { w.WriteArrayHeader(2); w.WriteString("slow"); w.WriteInt64(milliseconds); });
}
