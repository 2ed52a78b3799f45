using Ambrosia.CSharpBinding.Tests.Runtime;
using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Protocol;
using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Schedules;

/// <summary>Which steps count, and what the coordinator is told (docs/internals/routines.md).</summary>
public sealed class ScheduleStepTests : IAsyncDisposable
{
    private static readonly long s_now = new DateTime(2026, 1, 1, 0, 30, 0, DateTimeKind.Utc).Ticks;
    private static readonly long s_one = new DateTime(2026, 1, 1, 1, 0, 0, DateTimeKind.Utc).Ticks;
    private static readonly long s_two = s_one + TimeSpan.TicksPerHour;
    private readonly ScriptedCoordinator _coordinator;

    public ScheduleStepTests() => _coordinator = new ScriptedCoordinator(static () => new Planner())
    {
        Features = BindingFeatures.Routines, Now = s_now, LogsSelfMessages = false,
    };

    private Planner Planner => (Planner)_coordinator.Immortal!;

    [Fact]
    public async Task A_step_counts_once_however_often_it_is_logged()
    {
        ScheduleStep step = await DeclareAsync();
        await _coordinator.DeliverAsync(Logged(step), Logged(step with { Next = s_two }));
        ScheduleStep run = step with { Expected = s_one, Run = s_one, Handled = s_one, Next = s_two };
        await _coordinator.DeliverAsync(Logged(run), Logged(run));
        await _coordinator.DeliverAsync(Logged(run));
        Assert.Equal(["5 01:00"], Planner.Seen);
    }

    [Fact]
    public async Task A_step_of_an_older_declaration_or_of_no_schedule_has_no_effect()
    {
        ScheduleStep step = await DeclareAsync();
        ScheduleStep run = step with { Expected = 0, Run = s_one, Handled = s_one, Next = s_two };
        await _coordinator.DeliverAsync(
            Logged(run with { Name = "daily" }), Logged(run with { Lsn = run.Lsn + 1 }), Logged(run with { Index = run.Index + 1 }),
            Logged(run with { Expected = s_one }));
        Assert.Empty(Planner.Seen);
        await _coordinator.DeliverAsync(Logged(run));
        Assert.Equal(["5 01:00"], Planner.Seen);
    }

    [Theory]
    [InlineData("")]
    [InlineData("076E696768746C79")]
    [InlineData("076E696768746C7901008080808080808080800100000000")]
    [InlineData("FFFFFFFF0F")]
    public async Task Anything_may_follow_the_reserved_id(string hex)
    {
        await DeclareAsync();
        byte[] bytes = [0, 13, 2, .. Convert.FromHexString(hex)]; // Method -7, an impulse.
        await _coordinator.DeliverAsync(TestMessage.Frame(BindingMessageType.Rpc, bytes));
        Assert.Empty(Planner.Seen);
        Assert.Empty(_coordinator.Faults);
    }

    [Fact]
    public async Task A_step_that_was_quarantined_leaves_its_occurrence_out_and_goes_on()
    {
        ScheduleStep step = await DeclareAsync();
        await _coordinator.DeliverAsync(Logged(step));
        ScheduleStep run = step with { Expected = s_one, Run = s_one, Handled = s_one, Next = s_two };
        LoggedRecord record = _coordinator.Append(Logged(run));
        await _coordinator.KillAsync();
        await _coordinator.RecoverAsync(0, skip: Skip(record.Lsn));
        Assert.Empty(Planner.Seen);
        await _coordinator.DeliverAsync(Logged(run with { Expected = s_two, Run = s_two, Handled = s_two, Next = s_two + 1 }));
        Assert.Equal(["5 02:00"], Planner.Seen);
    }

    [Fact]
    public async Task A_replay_of_the_log_and_a_checkpoint_of_it_are_the_same_state()
    {
        ScheduleStep step = await DeclareAsync();
        await _coordinator.DeliverAsync(Logged(step));
        await _coordinator.CheckpointAsync();
        ScheduleStep run = step with { Expected = s_one, Run = s_one, Handled = s_one, Next = s_two };
        await _coordinator.DeliverAsync(Logged(run));
        await _coordinator.KillAsync();
        await _coordinator.RecoverAsync(_coordinator.Checkpoints.Count - 1, becomePrimary: false);
        Assert.Equal(["5 01:00"], Planner.Seen);
        await _coordinator.KillAsync();
        await _coordinator.RecoverAsync(0, becomePrimary: false);
        Assert.Equal(["5 01:00"], Planner.Seen);
        Assert.Empty(_coordinator.Divergences);
    }

    [Fact]
    public void A_build_without_the_method_that_a_schedule_calls_refuses_the_state()
    {
        var schedule = new SavedSchedule("nightly", 1, 0);
        schedule.Call(7, [0x90], Missed.Once);
        var routines = new SavedRoutines([schedule], []);
        routines.Check(new ImmortalContract("Tests.IOld", "", [new(7, "Close", "void Close()", false)]));
        CannotResumeException refused = Assert.Throws<CannotResumeException>(
            () => routines.Check(new ImmortalContract("Tests.INew", "", [new(8, "Close", "void Close(int)", false)])));
        Assert.Equal("Schedule 'nightly' calls method 7 of Tests.INew, which is gone. Keep the old method until the schedule calls "
            + "another or is "
            + "cancelled, or give the new one its number with [MethodId(7)].", Assert.Single(refused.Refusals));
    }

    [Fact]
    public async Task The_coordinator_is_told_of_schedules_and_of_sagas_that_wait()
    {
        ScheduleStep step = await DeclareAsync();
        await _coordinator.DeliverAsync(Logged(step));
        await _coordinator.DeliverAsync(TestMessage.Call(RpcKind.Fork, 4, static (ref MessagePackWriter a) => a.WriteArrayHeader(0)));
        long number = DispatchTests.NumberOf(_coordinator.SentTo("peer")[0]);
        await _coordinator.DeliverAsync(
            TestMessage.Reply(RpcForm.Exception, 3, number, [0x94, 0xA1, 0x58, 0xA3, 0x6E, 0x6F, 0x74, 0xA0, 0xC0]));
        await _coordinator.UntilAsync(() =>
            _coordinator.ToldRoutines.LastOrDefault() is { Compensations: [{ Attempts: 1 }] }, "compensation");
        RoutinesTold told = _coordinator.ToldRoutines[^1];
        Assert.Equal(new ScheduleTold("nightly", "0 * * * *", "UTC", "once", s_one, 0, 0, 0, ""), Assert.Single(told.Schedules));
        CompensationTold saga = Assert.Single(told.Compensations);
        Assert.Equal(("order 7", "give back", 1, s_now + TimeSpan.TicksPerSecond), (saga.Saga, saga.Step, saga.Left, saga.NextAttempt));
        Assert.Contains("not", saga.LastError, StringComparison.Ordinal);
    }

    public ValueTask DisposeAsync() => _coordinator.DisposeAsync();

    private static byte[] Logged(ScheduleStep step) => TestMessage.Frame(BindingMessageType.Rpc, step.ToImpulse());

    private static byte[] Skip(ulong lsn)
    {
        byte[] bytes = new byte[MessagePosition.MaxSize];
        return bytes[..new MessagePosition(lsn, 0).Write(bytes)];
    }

    // The step that chooses the first occurrence, as the binding sends it.
    private async Task<ScheduleStep> DeclareAsync()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(TestMessage.Call(RpcKind.Fork, 1, static (ref MessagePackWriter arguments) =>
        {
            arguments.WriteArrayHeader(1);
            default(StringFormatter).Write(ref arguments, "0 * * * *");
        }));
        await _coordinator.UntilAsync(() => _coordinator.Impulses.Count == 1, "step");
        Assert.True(ScheduleStep.TryRead(RpcHeader.Read(TestMessage.DataOf(_coordinator.Impulses[0])), out ScheduleStep? step));
        Assert.Equal((s_one, 0L), (step!.Next, step.Run));
        _coordinator.Impulses.Clear();
        return step;
    }
}
