using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

public sealed class DispatchTests : IAsyncDisposable
{
    private readonly ScriptedCoordinator _coordinator = new(static () => new Counter());

    private Counter App => (Counter)_coordinator.Immortal!;

    [Fact] // docs/internals/exactly-once.md H15
    public async Task First_start_hands_over_OnFirstStart_as_the_first_message_of_the_log()
    {
        await _coordinator.StartFirstAsync();

        Assert.Equal(1, App.FirstStarts);
        Assert.Single(_coordinator.Log);
        Assert.Equal([0, 1, 1], TestMessage.DataOf(_coordinator.Log[0].Payload));
    }

    [Fact]
    public async Task OnFirstStart_is_executed_once_however_often_somebody_sends_its_reserved_id()
    {
        await _coordinator.StartFirstAsync();

        await _coordinator.DeliverAsync(TestMessage.Frame(BindingMessageType.Rpc, [0, 1, 1]));

        Assert.Equal(1, App.FirstStarts);
    }

    [Fact]
    public async Task A_call_is_answered_with_the_value_of_its_handler()
    {
        await _coordinator.StartFirstAsync();

        await _coordinator.DeliverAsync(Add(RpcKind.Async, 5, number: 77));

        byte[] reply = Assert.Single(_coordinator.SentTo("client"));
        Assert.Equal(TestMessage.Reply(RpcForm.Value, 1, 77, [5]), reply);
    }

    [Fact]
    public async Task A_call_without_a_result_is_answered_without_a_value()
    {
        await _coordinator.StartFirstAsync();

        await _coordinator.DeliverAsync(
            TestMessage.Call(RpcKind.Async, 3, static (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteInt64(4); }, number: 9));

        Assert.Equal(TestMessage.Reply(RpcForm.Void, 3, 9, []), Assert.Single(_coordinator.SentTo("client")));
        Assert.Equal([4], App.Notes);
    }

    [Fact]
    public async Task Forks_are_executed_in_order_and_not_answered()
    {
        await _coordinator.StartFirstAsync();

        await _coordinator.DeliverAsync(Note(1), Note(2), TestMessage.Batch(Note(3), Note(4)), Note(5));

        Assert.Equal([1, 2, 3, 4, 5], App.Notes);
        Assert.Empty(_coordinator.SentTo("client"));
    }

    [Fact]
    public async Task A_suspended_handler_goes_on_when_its_reply_comes_and_then_answers()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(AskPeer("other", 3, number: 1));
        byte[] call = Assert.Single(_coordinator.SentTo("other"));
        Assert.Empty(_coordinator.SentTo("client"));

        await _coordinator.DeliverAsync(TestMessage.Reply(RpcForm.Value, 1, NumberOf(call), [40]));

        Assert.Equal(TestMessage.Reply(RpcForm.Value, 2, 1, [40]), Assert.Single(_coordinator.SentTo("client")));
        Assert.Equal(2, _coordinator.SentTo("other").Count);
    }

    [Fact] // docs/internals/exactly-once.md H21
    public async Task A_reply_that_nobody_awaits_is_ignored()
    {
        await _coordinator.StartFirstAsync();

        await _coordinator.DeliverAsync(TestMessage.Reply(RpcForm.Value, 1, 4711, [1]), Add(RpcKind.Fork, 2));

        Assert.Equal(2, App.Total);
    }

    [Fact]
    public async Task Messages_to_itself_go_through_the_log()
    {
        await _coordinator.StartFirstAsync();

        await _coordinator.DeliverAsync(
            TestMessage.Call(RpcKind.Fork, 8, static (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteInt64(4); }));

        Assert.Equal(4, App.Total);
        Assert.Equal(5, _coordinator.Log.Count); // OnFirstStart, the fork, and three more that it caused.
    }

    [Fact]
    public async Task An_unknown_method_is_answered_with_an_error_that_says_so()
    {
        await _coordinator.StartFirstAsync();

        await _coordinator.DeliverAsync(
            TestMessage.Call(RpcKind.Async, 999, static (ref MessagePackWriter w) => w.WriteArrayHeader(0), number: 3));

        (string type, string message) = ErrorOf(Assert.Single(_coordinator.SentTo("client")));
        Assert.Equal("System.MissingMethodException", type);
        Assert.Contains("Tests.ICounter has no method with id 999", message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Arguments_that_cannot_be_decoded_are_answered_with_an_error()
    {
        await _coordinator.StartFirstAsync();

        await _coordinator.DeliverAsync(
            TestMessage.Call(RpcKind.Async, 1, static (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteNil(); }, number: 3));

        Assert.Equal("Ambrosia.Serialization.MessagePackException", ErrorOf(Assert.Single(_coordinator.SentTo("client"))).Type);
        await _coordinator.DeliverAsync(Add(RpcKind.Fork, 2));
        Assert.Equal(2, App.Total);
    }

    [Fact] // docs/internals/outside-calls.md X18
    public async Task An_exception_for_the_outside_has_no_stack_trace()
    {
        await _coordinator.StartFirstAsync();
        foreach (string caller in new[] { "client", "outside.ambrosia" })
        {
            await _coordinator.DeliverAsync(TestMessage.Call(
                RpcKind.Async, 5, static (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteString("now"); }, caller, number: 3));
            Assert.Equal(caller == "client", StackOf(Assert.Single(_coordinator.SentTo(caller))).Length > 0);
        }
    }

    [Theory]
    [InlineData("now", "System.InvalidOperationException")]
    [InlineData("late", "System.InvalidOperationException")]
    [InlineData("odd", "Ambrosia.CSharpBinding.Tests.Support.OddException")]
    public async Task An_exception_goes_to_the_caller_and_is_no_fault(string text, string type)
    {
        _coordinator.LogsSelfMessages = true;
        await _coordinator.StartFirstAsync();

        await _coordinator.DeliverAsync(Fail(RpcKind.Async, text));
        await _coordinator.UntilAsync(() =>
            text != "late" || _coordinator.Impulses.Count > 0 || _coordinator.SentTo("client").Count > 0, "timer");
        await _coordinator.SettleAsync();

        Assert.Equal((type, text), ErrorOf(Assert.Single(_coordinator.SentTo("client"))));
        Assert.Empty(_coordinator.Faults);
    }

    [Fact]
    public async Task A_failed_fork_is_reported_and_the_next_message_is_handled()
    {
        await _coordinator.StartFirstAsync();

        await _coordinator.DeliverAsync(Fail(RpcKind.Fork, "broken"), Add(RpcKind.Fork, 2));

        Assert.Contains("broken", Assert.Single(_coordinator.Faults), StringComparison.Ordinal);
        Assert.Equal(2, App.Total);
    }

    [Fact] // docs/internals/exactly-once.md H11
    public async Task An_impulse_from_a_handler_throws()
    {
        await _coordinator.StartFirstAsync();

        await _coordinator.DeliverAsync(
            TestMessage.Call(RpcKind.Async, 9, static (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteInt64(0); }));

        Assert.Contains("cannot be sent from a handler", System.Text.Encoding.UTF8.GetString(Assert.Single(_coordinator.SentTo("client"))),
            StringComparison.Ordinal);
    }

    [Fact] // docs/internals/exactly-once.md H11
    public async Task A_fork_from_BecomingPrimary_throws()
    {
        await _coordinator.StartFirstAsync();

        Assert.Contains("sent from handlers only", App.Outside!.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_destination_whose_name_is_not_valid_is_refused()
    {
        await _coordinator.StartFirstAsync();

        await _coordinator.DeliverAsync(
            TestMessage.Call(RpcKind.Async, 9, static (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteInt64(1); }));

        Assert.Contains("is not an instance name", System.Text.Encoding.UTF8.GetString(Assert.Single(_coordinator.SentTo("client"))),
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("System.ArgumentException", "known ArgumentException: boom / there")]
    [InlineData("Shop.SoldOutException", "remote Shop.SoldOutException: boom")]
    public async Task An_exception_of_the_other_side_arrives_by_its_type_if_it_is_dotnets_own(string type, string expected)
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(AskText("other", "hi"));

        await _coordinator.DeliverAsync(TestMessage.Reply(RpcForm.Exception, 20, 1, EncodedError(type, "boom", "there")));

        Assert.Contains(expected, System.Text.Encoding.UTF8.GetString(Assert.Single(_coordinator.SentTo("client"))),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_reply_that_cannot_be_decoded_fails_the_await()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(AskText("other", "hi"));

        await _coordinator.DeliverAsync(TestMessage.Reply(RpcForm.Value, 20, 1, [0xC1]));

        Assert.Contains("undecodable", System.Text.Encoding.UTF8.GetString(Assert.Single(_coordinator.SentTo("client"))),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task With_the_policy_stop_a_failed_fork_ends_the_app_and_its_turn_is_not_released()
    {
        await using var coordinator = new ScriptedCoordinator(static () =>
            new Counter(), new ImmortalOptions { InstanceName = "counter", OnFault = FaultPolicy.Stop });
        await coordinator.StartFirstAsync();

        await coordinator.DeliverAsync(coordinator.Append(Add(RpcKind.Async, 1), Fail(RpcKind.Fork, "broken")));

        HandlerFaultException fault = await Assert.ThrowsAsync<HandlerFaultException>(() => coordinator.App);
        Assert.Contains("2:1: System.InvalidOperationException: broken", fault.Message, StringComparison.Ordinal);
        Assert.Empty(coordinator.SentTo("client"));
    }

    [Fact]
    public async Task A_skipped_call_is_not_executed_and_its_caller_is_told()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.SendAsync(TestMessage.Frame(BindingMessageType.Skip, [2, 1]));

        await _coordinator.DeliverAsync(Add(RpcKind.Fork, 1), Add(RpcKind.Async, 10), Add(RpcKind.Fork, 100));

        Assert.Equal(101, App.Total);
        Assert.Equal(typeof(MessageSkippedException).FullName, ErrorOf(Assert.Single(_coordinator.SentTo("client"))).Type);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)] // Nor does it when an operator has taken it out.
    public async Task An_impulse_with_a_timers_id_that_names_no_timer_ends_nothing(bool skipped)
    {
        await _coordinator.StartFirstAsync();
        if (skipped)
        {
            await _coordinator.SendAsync(TestMessage.Frame(BindingMessageType.Skip, [2, 0]));
            await _coordinator.SendAsync(TestMessage.Frame(BindingMessageType.Skip, [2, 1]));
        }

        byte[] head = [0, (byte)Varint.ZigZag(ReservedMethods.TimerFire), (byte)RpcKind.Impulse];
        await _coordinator.DeliverAsync(TestMessage.Frame(BindingMessageType.Rpc, head),
            TestMessage.Frame(BindingMessageType.Rpc, [.. head, 0x80]), Note(7));

        Assert.Equal([7], App.Notes);
    }

    [Fact] // The limit may have been lowered since it was logged.
    public async Task A_message_from_the_log_that_is_larger_than_what_is_accepted_today_is_executed()
    {
        _coordinator.MaxMessageBytes = 4096;
        await _coordinator.StartFirstAsync();

        await _coordinator.DeliverAsync(TestMessage.Call(RpcKind.Fork, 3, static (ref MessagePackWriter w) =>
        {
            w.WriteArrayHeader(2);
            w.WriteInt64(7);
            w.WriteString(new string('x', 20_000)); // Of a parameter that this version does not know.
        }));

        Assert.Equal([7], App.Notes);
    }

    public ValueTask DisposeAsync() => _coordinator.DisposeAsync();

    internal static byte[] Add(RpcKind kind, int amount, long number = 0) =>
        TestMessage.Call(kind, 1, (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteInt64(amount); }, number: number);

    internal static byte[] Note(int value) =>
        TestMessage.Call(RpcKind.Fork, 3, (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteInt64(value); });

    internal static byte[] AskPeer(string peer, int value, long number = 0) =>
        TestMessage.Call(RpcKind.Async, 2, (ref MessagePackWriter w) =>
            { w.WriteArrayHeader(2); w.WriteString(peer); w.WriteInt64(value); }, number: number);

    internal static long NumberOf(byte[] call) => RpcHeader.Read(TestMessage.DataOf(call)).CallNumber;

    internal static (string Type, string Message) ErrorOf(byte[] reply)
    {
        RpcHeader header = RpcHeader.Read(TestMessage.DataOf(reply));
        Assert.Equal(RpcForm.Exception, header.Form);
        var reader = new MessagePackReader(header.Body);
        reader.ReadArrayHeader();
        return (reader.ReadString(), reader.ReadString());
    }

    private static string StackOf(byte[] reply)
    {
        var reader = new MessagePackReader(RpcHeader.Read(TestMessage.DataOf(reply)).Body);
        reader.ReadArrayHeader();
        reader.ReadString();
        reader.ReadString();
        return reader.ReadString();
    }

    internal static byte[] EncodedError(string type, string message, string stack)
    {
        var value = new System.Buffers.ArrayBufferWriter<byte>();
        var writer = new MessagePackWriter(value);
        writer.WriteArrayHeader(4);
        writer.WriteString(type);
        writer.WriteString(message);
        writer.WriteString(stack);
        writer.WriteNil();
        writer.Flush();
        return value.WrittenSpan.ToArray();
    }

    private static byte[] AskText(string peer, string text) =>
        TestMessage.Call(RpcKind.Async, 10, (ref MessagePackWriter w) =>
            { w.WriteArrayHeader(2); w.WriteString(peer); w.WriteString(text); });

    internal static byte[] Fail(RpcKind kind, string text, long number = 0) =>
        TestMessage.Call(kind, 5, (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteString(text); }, number: number);
}
