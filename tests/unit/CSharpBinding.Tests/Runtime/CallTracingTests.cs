using System.Collections.Concurrent;
using System.Diagnostics;
using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

/// <summary>Spans of handled and sent calls, for listeners to the source Ambrosia.</summary>
public sealed class CallTracingTests : IAsyncLifetime, IDisposable
{
    private static readonly TimeSpan s_patience = Patience.Time;
    private static int s_names;
    private readonly ConcurrentQueue<Activity> _spans = new();
    private readonly string _name = $"traced-{Interlocked.Increment(ref s_names)}";
    private readonly ImmortalOptions _options = new() { TraceRatio = 1 };
    private readonly ScriptedCoordinator _coordinator;
    private readonly ActivityListener _listener;

    public CallTracingTests()
    {
        _coordinator = Coordinator(_name);
        _listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "Ambrosia",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = _spans.Enqueue,
        };
        ActivitySource.AddActivityListener(_listener);
    }

    [Fact]
    public async Task A_call_is_a_span_that_says_who_called_what_and_where_it_lies_in_the_log()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Add(5, 7));
        Activity span = Single(ActivityKind.Server);
        Assert.Equal("Tests.ICounter/Add", span.DisplayName);
        Assert.Equal(("ambrosia", "Tests.ICounter/Add", _name, $"{_coordinator.Log[^1].Lsn}:0", "call", "client", 7L), (
            span.GetTagItem("rpc.system.name"), span.GetTagItem("rpc.method"), span.GetTagItem("ambrosia.instance"),
            span.GetTagItem("ambrosia.position"), span.GetTagItem("ambrosia.kind"), span.GetTagItem("ambrosia.caller"),
            span.GetTagItem("ambrosia.call.number")));
        Assert.Equal(ActivityStatusCode.Unset, span.Status);
    }

    [Fact]
    public async Task A_method_that_the_interface_does_not_have_is_no_name_of_a_span()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(TestMessage.Call(RpcKind.Async, 4711, static (ref MessagePackWriter w) => w.WriteArrayHeader(0)));
        Activity span = Single(ActivityKind.Server);
        Assert.Equal(("Tests.ICounter/_OTHER", "Tests.ICounter/_OTHER", 4711), (
            span.DisplayName, span.GetTagItem("rpc.method"), span.GetTagItem("ambrosia.method.id")));
        Assert.Equal(ActivityStatusCode.Error, span.Status);
    }

    [Fact]
    public async Task Caller_and_callee_derive_one_context_for_a_call_without_a_byte_on_the_wire()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(AskPeer(number: 1));
        await _coordinator.DeliverAsync(Reply(1));
        Activity client = Single(ActivityKind.Client);
        Activity handler = Single(ActivityKind.Server);
        Assert.Equal((handler.TraceId, handler.SpanId), (client.TraceId, client.ParentSpanId));
        ActivityContext link = Assert.Single(client.Links).Context;

        // The callee, which knows the caller's name and the call's number from the message.
        await using ScriptedCoordinator callee = Coordinator("peer");
        await callee.StartFirstAsync();
        await callee.DeliverAsync(Add(5, number: 1, caller: _name));
        Activity served = _spans.Last(static span => Equals(span.GetTagItem("ambrosia.instance"), "peer"));
        Assert.Equal((link.TraceId, link.SpanId), (served.TraceId, served.ParentSpanId));
        Assert.True(served.HasRemoteParent);
    }

    [Fact]
    public async Task The_span_of_a_handler_that_waits_ends_with_its_outcome()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(AskPeer(number: 3));
        Assert.Empty(Own());
        await _coordinator.DeliverAsync(Reply(1));
        Activity handler = Single(ActivityKind.Server);
        Assert.Equal("Tests.ICounter/method 2", handler.DisplayName);
        Assert.Equal(["call peer", "Tests.ICounter/method 2"], Own().Select(static span => span.DisplayName));
        Assert.Equal("peer", Single(ActivityKind.Client).GetTagItem("ambrosia.callee"));
    }

    [Fact]
    public async Task An_exception_is_the_outcome_of_its_span()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(TestMessage.Call(RpcKind.Async, 5, static (ref MessagePackWriter w) =>
        {
            w.WriteArrayHeader(1);
            default(StringFormatter).Write(ref w, "broken");
        }, "client", 4));
        Activity span = Single(ActivityKind.Server);
        Assert.Equal(ActivityStatusCode.Error, span.Status);
        Assert.NotNull(span.GetTagItem("error.type"));
    }

    [Fact]
    public async Task An_impulse_continues_the_trace_of_the_code_that_sent_it()
    {
        await _coordinator.StartFirstAsync();
        Activity request = new Activity("request").SetIdFormat(ActivityIdFormat.W3C).Start();
        request.ActivityTraceFlags = ActivityTraceFlags.Recorded;
        Task<int> poked = ((Counter)_coordinator.Immortal!).Self.PokeImpulse(3);
        request.Stop();
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count > 0, "impulse");
        await _coordinator.SettleAsync();
        await poked.WaitAsync(s_patience);
        Activity span = Single(ActivityKind.Server);
        Assert.Equal((request.TraceId, request.SpanId), (span.TraceId, span.ParentSpanId));
    }

    [Fact]
    public async Task A_replay_makes_no_spans_and_ids_are_those_of_the_first_time()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Add(5, 9));
        Activity first = Single(ActivityKind.Server);
        await _coordinator.KillAsync();
        _spans.Clear();
        await _coordinator.RecoverAsync();
        Assert.Empty(Own());

        await _coordinator.DeliverAsync(Add(5, 9)); // As its caller would send it again to an instance that has lost it.
        Activity second = Single(ActivityKind.Server);
        Assert.Equal((first.TraceId, first.ParentSpanId), (second.TraceId, second.ParentSpanId));
    }

    [Fact]
    public async Task The_share_decides_for_caller_and_callee_alike()
    {
        _options.TraceRatio = 0.25;
        await _coordinator.StartFirstAsync();
        for (int i = 0; i < 8; i++)
        {
            await _coordinator.DeliverAsync([.. Enumerable.Range(i * 100, 100).Select(number => Add(1, number))]);
        }

        Assert.InRange(Own().Length, 120, 280);
        _spans.Clear();
        _options.TraceRatio = 0;
        await using ScriptedCoordinator silent = Coordinator(_name);
        await silent.StartFirstAsync();
        await silent.DeliverAsync(Add(1, 1));
        Assert.Empty(Own());
    }

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync() => await _coordinator.DisposeAsync();

    public void Dispose() => _listener.Dispose();

    private byte[] Add(int amount, long number, string caller = "client") => TestMessage.Call(RpcKind.Async, 1, (ref MessagePackWriter w) =>
    {
        w.WriteArrayHeader(1);
        w.WriteInt64(amount);
    }, caller, number);

    private byte[] AskPeer(long number) => TestMessage.Call(RpcKind.Async, 2, static (ref MessagePackWriter w) =>
    {
        w.WriteArrayHeader(2);
        default(StringFormatter).Write(ref w, "peer");
        w.WriteInt64(5);
    }, "client", number);

    private static byte[] Reply(long number) => TestMessage.Reply(RpcForm.Value, 1, number, [5]);

    // Other tests of this process may run beside these ones; their immortals have other names.
    private Activity[] Own() => [.. _spans.Where(span =>
        Equals(span.GetTagItem("ambrosia.instance"), _name) && span.DisplayName != "Tests.ICounter/OnFirstStart")];

    private Activity Single(ActivityKind kind) => Assert.Single(Own(), span => span.Kind == kind);

    private ScriptedCoordinator Coordinator(string name) => new(static () => new Counter(), _options) { Name = name };
}
