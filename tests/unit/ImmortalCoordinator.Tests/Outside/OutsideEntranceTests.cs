using System.Buffers;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Metrics;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives.Errors;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Outside;

/// <summary>Calls from outside through a whole core: docs/internals/outside-calls.md.</summary>
public sealed class OutsideEntranceTests
{
    private static readonly ulong s_born = (ulong)DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();

    [Fact] // X2, X13
    public async Task A_call_is_answered_when_its_turn_has_ended_and_each_repeat_gets_that_answer()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await StartAsync(core);
        Task<OutsideReply> first = core.Core.Outside.CallAsync(Call("order-42"), default);
        Task<OutsideReply> repeated = core.Core.Outside.CallAsync(Call("order-42"), default);
        (ulong lsn, long number, byte[] arguments) = await app.HearCallAsync();
        Assert.Equal(1, number);
        Assert.Equal([1, 2, 3], arguments);
        Assert.Equal(OutsideReplyKind.Accepted, (await core.Core.Outside.SendAsync(Call("order-42"), default).OrFail()).Kind);
        await app.SendAnswerAsync(number, 77);
        await RoundTripAsync(core, app);
        Assert.False(first.IsCompleted || repeated.IsCompleted);
        await app.DoneAsync(lsn);
        RequireAnswer(77, await first.OrFail());
        RequireAnswer(77, await repeated.OrFail());
        RequireAnswer(77, await core.Core.Outside.CallAsync(Call("order-42"), default).OrFail());
        RequireAnswer(77, await core.Core.Outside.SendAsync(Call("order-42"), default).OrFail());
        RequireAnswer(77, await core.Core.Outside.LookAsync(Key("order-42"), default).OrFail());
        Assert.Equal(OutsideReplyKind.OtherBody, (await core.Core.Outside.CallAsync(Call("order-42", 8), default).OrFail()).Kind);
        Assert.Equal(OutsideReplyKind.Unknown, (await core.Core.Outside.LookAsync(Key("order-43"), default).OrFail()).Kind);
        await Within.Until(() => core.Status.Snapshot().Outside is { Kept: 1, Pending: 0, AnswerBytes: 1 });
        Assert.Equal(2, core.Status.Snapshot().Totals.MessagesLogged);
        Assert.DoesNotContain(core.Status.Snapshot().Outputs, static output => output.Peer == "outside.ambrosia");
    }

    [Fact] // X3
    public async Task Nothing_is_said_of_a_call_before_it_is_durable()
    {
        var disk = new HeldDisk();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: disk.Environment);
        await using ScriptedApp app = await StartAsync(core);
        disk.Hold();
        try
        {
            await RequireSilenceAsync(core, app, disk);
        }
        finally
        {
            disk.Release(); // Else nothing can end.
        }
    }

    private static async Task RequireSilenceAsync(CoreUnderTest core, ScriptedApp app, HeldDisk disk)
    {
        Task<OutsideReply> sent = core.Core.Outside.SendAsync(Call("order-42"), default);
        await disk.UntilHeldAsync();
        Task<OutsideReply> other = core.Core.Outside.CallAsync(Call("order-42", 8), default);
        Task<OutsideReply> again = core.Core.Outside.SendAsync(Call("order-42"), default);
        Task<OutsideReply> look = core.Core.Outside.LookAsync(Key("order-42"), default);
        using var impatience = new CancellationTokenSource();
        Task<OutsideReply> impatient = core.Core.Outside.CallAsync(Call("order-42"), impatience.Token);
        Assert.Equal(OutsideReplyKind.Unknown, (await core.Core.Outside.LookAsync(Key("order-43"), default).OrFail()).Kind);
        await impatience.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => impatient);
        Assert.False(sent.IsCompleted || other.IsCompleted || again.IsCompleted || look.IsCompleted);
        disk.Release();
        Assert.Equal(OutsideReplyKind.Accepted, (await sent.OrFail()).Kind);
        Assert.Equal(OutsideReplyKind.Accepted, (await again.OrFail()).Kind);
        Assert.Equal(OutsideReplyKind.OtherBody, (await other.OrFail()).Kind);
        (ulong lsn, long number, _) = await app.HearCallAsync();
        await app.AnswerAsync(lsn, number, 5);
        RequireAnswer(5, await look.OrFail());
    }

    [Fact] // X21
    public async Task A_client_that_waits_no_longer_ends_no_call()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await StartAsync(core);
        using var impatience = new CancellationTokenSource();
        Task<OutsideReply> first = core.Core.Outside.CallAsync(Call("order-42"), impatience.Token);
        Task<OutsideReply> second = core.Core.Outside.CallAsync(Call("order-42"), default);
        (ulong lsn, long number, _) = await app.HearCallAsync();
        await impatience.CancelAsync();
        Assert.Equal(OutsideReplyKind.Accepted, (await first.OrFail()).Kind);
        await app.AnswerAsync(lsn, number, 9, RpcForm.Exception);
        OutsideReply told = await second.OrFail();
        Assert.Equal((OutsideReplyKind.Answer, (byte)RpcForm.Exception), (told.Kind, told.Form));
    }

    [Fact] // X13
    public async Task Half_a_turn_answers_nothing()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: static options => options.MaxTurnBytes = 1);
        ScriptedApp app = await StartAsync(core);
        Task<OutsideReply> call = core.Core.Outside.CallAsync(Call("order-42"), default);
        (ulong lsn, long number, _) = await app.HearCallAsync();
        await app.SendAnswerAsync(number, 1); // Larger than a turn may be: it is released before its end.
        await RoundTripAsync(core, app);
        app.Abort();
        await app.DisposeAsync();
        Assert.False(call.IsCompleted);
        await using ScriptedApp next = await core.ConnectAppAsync();
        await next.ComeAgainAsync();
        await next.HearAsync(BindingMessageType.RecordInfo);
        await next.DoneAsync(1);
        (lsn, number, _) = await next.HearCallAsync();
        await next.AnswerAsync(lsn, number, 2);
        RequireAnswer(2, await call.OrFail());
    }

    [Theory] // X1, X4, X14, X15
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_later_life_gives_the_same_answer(bool fromCheckpoint)
    {
        var log = new LogStoreEnvironment();
        await using (CoreUnderTest core = await CoreUnderTest.StartAsync(log: log))
        {
            await using ScriptedApp app = await StartAsync(core);
            Task<OutsideReply> call = core.Core.Outside.CallAsync(Call("order-42"), default);
            (ulong lsn, long number, _) = await app.HearCallAsync();
            await app.AnswerAsync(lsn, number, 77);
            RequireAnswer(77, await call.OrFail());
            if (fromCheckpoint)
            {
                Task<ulong> taken = core.Status.CheckpointAsync(default);
                await app.HearAsync(BindingMessageType.TakeCheckpoint);
                await app.SayAsync(BindingMessageType.Checkpoint, static output => output.Write((ReadOnlySpan<byte>)[0]));
                Assert.True(await taken.OrFail() >= lsn);
            }
        }

        await using CoreUnderTest next = await CoreUnderTest.StartAsync(log: log);
        Task<OutsideReply> repeated = next.Core.Outside.CallAsync(Call("order-42"), default);
        Assert.Equal(OutsideReplyKind.OtherBody, (await next.Core.Outside.CallAsync(Call("order-42", 8), default).OrFail()).Kind);
        if (!fromCheckpoint)
        {
            Assert.False(repeated.IsCompleted);
            await using ScriptedApp app = await next.ConnectAppAsync();
            await app.ComeAgainAsync();
            await app.HearAsync(BindingMessageType.RecordInfo);
            await app.DoneAsync(1);
            (ulong lsn, long number, _) = await app.HearCallAsync();
            await app.AnswerAsync(lsn, number, 77);
        }

        RequireAnswer(77, await repeated.OrFail());
        await Within.Until(() => !next.Status.Snapshot().App.Attached);
        await using ScriptedApp last = await next.ConnectAppAsync();
        await last.ComeAgainAsync();
        Task<OutsideReply> other = next.Core.Outside.CallAsync(Call("order-43"), default);
        while (true)
        {
            ulong lsn = RecordInfo.Read(await last.HearAsync(BindingMessageType.RecordInfo)).Lsn;
            byte[] rpc = await last.HearAsync(BindingMessageType.Rpc);
            if (RpcHeader.Read(rpc).CallNumber == 2)
            {
                await last.AnswerAsync(lsn, 2, 78);
                break;
            }

            await last.DoneAsync(lsn);
        }

        RequireAnswer(78, await other.OrFail());
    }

    [Fact] // X28
    public async Task A_call_without_a_key_is_answered_in_this_life_or_lost()
    {
        CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await StartAsync(core);
        var call = new OutsideSubmission(null, 7, new byte[] { 1, 2, 3 }, 0);
        Task<OutsideReply> first = core.Core.Outside.CallAsync(call, default);
        (ulong lsn, long number, _) = await app.HearCallAsync();
        await app.AnswerAsync(lsn, number, 5);
        RequireAnswer(5, await first.OrFail());
        Task<OutsideReply> second = core.Core.Outside.CallAsync(call, default);
        Task<OutsideReply> withKey = core.Core.Outside.CallAsync(Call("order-42"), default);
        (_, number, _) = await app.HearCallAsync();
        Assert.Equal(2, number);
        Assert.Equal(OutsideReplyKind.Accepted, (await core.Core.Outside.SendAsync(call, default).OrFail()).Kind);
        app.Abort(); // Else its turn would be waited for.
        await core.DisposeAsync();
        Assert.Equal(OutsideReplyKind.Lost, (await second.OrFail()).Kind);
        Assert.Equal(OutsideReplyKind.Unavailable, (await withKey.OrFail()).Kind);
        Assert.Equal(OutsideReplyKind.Unavailable, (await core.Core.Outside.CallAsync(call, default).OrFail()).Kind);
    }

    [Fact] // X23, X30
    public async Task What_is_refused_is_not_logged()
    {
        await using CoreUnderTest core =
            await CoreUnderTest.StartAsync(limits: new CoreLimits { Outside = new OutsideLimits { MostCalls = 10 } });
        Assert.Equal(OutsideReplyKind.Unavailable, (await core.Core.Outside.CallAsync(Call("order-1"), default).OrFail()).Kind);
        await using ScriptedApp app = await StartAsync(core);
        OutsideSubmission future = Call("order-2") with { Key = Key("order-2") with { Born = s_born + 600_000 } };
        Assert.Equal(OutsideReplyKind.Future, (await core.Core.Outside.CallAsync(future, default).OrFail()).Kind);
        Task<OutsideReply> first = core.Core.Outside.CallAsync(Call("order-3"), default); // A tenth of ten is one.
        Assert.Equal(OutsideReplyKind.Full, (await core.Core.Outside.CallAsync(Call("order-4"), default).OrFail()).Kind);
        await Assert.ThrowsAsync<ArgumentException>(() => core.Core.Outside.CallAsync(Call("order-5") with { Method = -3 }, default));
        await Assert.ThrowsAsync<ArgumentException>(() =>
            core.Core.Outside.LookAsync(Key("order-5") with { Caller = new string('x', 256) }, default));
        (ulong lsn, long number, _) = await app.HearCallAsync();
        await app.AnswerAsync(lsn, number, 5);
        RequireAnswer(5, await first.OrFail());
        Assert.Equal(1, number);
        await Within.Until(() => core.Status.Snapshot().Totals.MessagesLogged == 2);
    }

    [Fact] // X6 to X9
    public async Task A_call_that_nobody_asks_for_is_forgotten_and_never_runs_again()
    {
        var limits = new OutsideLimits { Keep = TimeSpan.FromMilliseconds(50), KeepLeast = TimeSpan.FromMilliseconds(10) };
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(
            limits: new CoreLimits { Outside = limits }, change: static options => options.Heartbeat = TimeSpan.FromMilliseconds(20));
        await using ScriptedApp app = await StartAsync(core);
        Task<OutsideReply> call = core.Core.Outside.CallAsync(Call("order-42"), default);
        (ulong lsn, long number, _) = await app.HearCallAsync();
        await Task.Delay(200); // A call that is pending is kept.
        Assert.Equal(1, core.Status.Snapshot().Outside.Pending);
        await app.AnswerAsync(lsn, number, 5);
        RequireAnswer(5, await call.OrFail());
        await Within.Until(() => core.Status.Snapshot().Outside.Kept == 0);
        Assert.Equal(OutsideReplyKind.Forgotten, (await core.Core.Outside.CallAsync(Call("order-42"), default).OrFail()).Kind);
        Assert.Equal(OutsideReplyKind.Forgotten, (await core.Core.Outside.LookAsync(Key("order-42"), default).OrFail()).Kind);
        Assert.Equal(OutsideReplyKind.Forgotten, (await core.Core.Outside.CallAsync(Call("order-41"), default).OrFail()).Kind);
    }

    [Fact] // X9
    public async Task A_call_that_is_asked_for_is_not_idle()
    {
        var limits = new OutsideLimits { Keep = TimeSpan.FromSeconds(2), KeepLeast = TimeSpan.FromMilliseconds(10) };
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(
            limits: new CoreLimits { Outside = limits }, change: static options => options.Heartbeat = TimeSpan.FromMilliseconds(20));
        await using ScriptedApp app = await StartAsync(core);
        Task<OutsideReply> call = core.Core.Outside.CallAsync(Call("order-42"), default);
        (ulong lsn, long number, _) = await app.HearCallAsync();
        await app.AnswerAsync(lsn, number, 5);
        RequireAnswer(5, await call.OrFail());
        var watch = System.Diagnostics.Stopwatch.StartNew(); // Longer than it is kept, and each look long before that time is over.
        while (watch.Elapsed < TimeSpan.FromSeconds(3))
        {
            await Task.Delay(60);
            RequireAnswer(5, await core.Core.Outside.LookAsync(Key("order-42"), default).OrFail());
        }
    }

    [Fact] // X10
    public async Task A_session_that_begins_anew_while_it_is_being_forgotten_waits_for_no_other_call()
    {
        var disk = new HeldDisk();
        var limits = new OutsideLimits { Keep = TimeSpan.FromMilliseconds(50), KeepLeast = TimeSpan.FromMilliseconds(10) };
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(
            log: disk.Environment, limits: new CoreLimits { Outside = limits },
            change: static options => options.Heartbeat = TimeSpan.FromMilliseconds(20));
        await using ScriptedApp app = await StartAsync(core);
        Task<OutsideReply> call = core.Core.Outside.CallAsync(Call("daily"), default);
        (ulong lsn, long number, _) = await app.HearCallAsync();
        await app.AnswerAsync(lsn, number, 5);
        disk.Hold();
        RequireAnswer(5, await call.OrFail());
        try
        {
            await disk.UntilHeldAsync();
            await Task.Delay(200); // By then it is to be forgotten.
            OutsideSubmission later = Call("daily") with { Key = Key("daily") with { Born = s_born + 1000, N = 2 } };
            Task<OutsideReply> again = core.Core.Outside.SendAsync(later, default);
            await Within.Until(() => core.Status.Snapshot().Outside.Waiting == 1);
            disk.Release();
            Assert.Equal(OutsideReplyKind.Accepted, (await again.OrFail()).Kind);
        }
        finally
        {
            disk.Release();
        }
    }

    [Fact] // X21
    public async Task Nothing_is_left_of_who_waits_no_longer_although_the_log_stands_still()
    {
        var disk = new HeldDisk();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(
            log: disk.Environment, change: static options => options.Heartbeat = TimeSpan.FromMilliseconds(20));
        await using ScriptedApp app = await StartAsync(core);
        disk.Hold();
        try
        {
            Task<OutsideReply> first = core.Core.Outside.SendAsync(Call("order-42"), default);
            await disk.UntilHeldAsync();
            using var impatience = new CancellationTokenSource();
            Task<OutsideReply>[] repeats =
            [
                .. Enumerable.Range(0, 20).Select(_ => core.Core.Outside.CallAsync(Call("order-42"), impatience.Token)),
                core.Core.Outside.LookAsync(Key("order-42"), impatience.Token),
            ];
            await Within.Until(() => core.Status.Snapshot().Outside is { Waiting: 22, Admitted: 1 });
            await impatience.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Task.WhenAll(repeats));
            await Within.Until(() => core.Status.Snapshot().Outside.Waiting == 1);
            disk.Release();
            Assert.Equal(OutsideReplyKind.Accepted, (await first.OrFail()).Kind);
        }
        finally
        {
            disk.Release();
        }
    }

    [Fact]
    public async Task People_see_how_many_calls_there_were_and_who_waits()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        using var metrics = new MetricsCollector();
        using var instruments = new CoordinatorMetrics("outside-bank", core.Status);
        await using ScriptedApp app = await StartAsync(core);
        Task<OutsideReply>[] calls =
        [
            core.Core.Outside.CallAsync(Call("order-42"), default), core.Core.Outside.CallAsync(Call("order-42"), default),
            core.Core.Outside.CallAsync(new OutsideSubmission(null, 7, new byte[] { 1 }, 0), default),
        ];
        await Within.Until(() => core.Status.Snapshot().Outside is { Admitted: 2, Repeated: 1, Waiting: 3, Kept: 1, Pending: 1 });
        (ulong lsn, long number, _) = await app.HearCallAsync();
        await app.HearAsync(BindingMessageType.Rpc);
        await app.SendAnswerAsync(2, 6);
        await app.AnswerAsync(lsn, number, 5);
        await Task.WhenAll(calls).OrFail();
        RequireAnswer(5, await core.Core.Outside.CallAsync(Call("order-42"), default).OrFail());
        await Within.Until(() => core.Status.Snapshot().Outside is { Repeated: 2, Waiting: 0, Pending: 0, AnswerBytes: 1 });
        string text = await metrics.RenderAsync();
        foreach ((string name, int value) in new[] { ("calls_total", 2), ("repeats_total", 2), ("waiting", 0), ("kept", 1),
            ("answers_bytes", 1) })
        {
            Assert.Contains($"ambrosia_outside_{name}{{ambrosia_instance=\"outside-bank\"}} {value}\n", text, StringComparison.Ordinal);
        }
    }

    [Fact] // X30
    public async Task No_instance_has_the_name_of_the_outside()
    {
        await using CoreUnderTest core = CoreUnderTest.Begin(change: static options => options.InstanceName = "outside.ambrosia");
        Task<Task> first = Task.WhenAny(core.Running, core.Core.Listening);
        CoordinatorException error = await Assert.ThrowsAsync<CoordinatorException>(async () => await await first.OrFail());
        Assert.Equal(StoreErrors.BadInstanceName, error.Error);
    }

    [Fact] // X11
    public async Task A_caller_that_is_done_with_a_call_is_told_so()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await StartAsync(core);
        OutsideSubmission Numbered(ulong n, ulong low) => Call("session") with { Key = Key("session") with { N = n, Low = low } };
        Task<OutsideReply> first = core.Core.Outside.CallAsync(Numbered(1, 0), default);
        (ulong lsn, long number, _) = await app.HearCallAsync();
        await app.AnswerAsync(lsn, number, 5);
        RequireAnswer(5, await first.OrFail());
        Assert.Equal(OutsideReplyKind.Accepted, (await core.Core.Outside.SendAsync(Numbered(2, 1), default).OrFail()).Kind);
        Assert.Equal(OutsideReplyKind.Acknowledged, (await core.Core.Outside.CallAsync(Numbered(1, 0), default).OrFail()).Kind);
        Assert.Equal(OutsideReplyKind.Acknowledged, (await core.Core.Outside.LookAsync(Key("session"), default).OrFail()).Kind);
    }

    private static OutsideKey Key(string text) => new("web", KeyHash.Of(text), s_born);

    private static OutsideSubmission Call(string text, ulong body = 7) => new(Key(text), 7, new byte[] { 1, 2, 3 }, body);

    private static async Task<ScriptedApp> StartAsync(CoreUnderTest core)
    {
        ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.RecordInfo);
        await app.HearAsync(BindingMessageType.Rpc);
        await app.DoneAsync(1);
        return app;
    }

    // What the app has sent before is read.
    private static async Task RoundTripAsync(CoreUnderTest core, ScriptedApp app)
    {
        await app.SayAsync(BindingMessageType.HandlerFault, new HandlerFault(2, 0, 7, "said in passing").Write);
        await Within.Until(() => core.Lines.All.Any(static line => line.Contains("said in passing", StringComparison.Ordinal)));
    }

    private static void RequireAnswer(byte value, OutsideReply reply)
    {
        Assert.Equal((OutsideReplyKind.Answer, (byte)RpcForm.Value), (reply.Kind, reply.Form));
        Assert.Equal([value], reply.Bytes.ToArray());
    }
}
