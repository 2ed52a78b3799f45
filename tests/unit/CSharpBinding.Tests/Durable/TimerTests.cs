using Ambrosia.CSharpBinding.Tests.State;
using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.Durable;

public sealed class TimerTests
{
    private readonly FakeTimers _timers = new();
    private readonly Turn _turn;

    public TimerTests() => _turn = new Turn { Timers = _timers };

    [Fact]
    public void A_timer_completes_at_its_deadline_of_log_time_and_not_before()
    {
        using TurnScope scope = _turn.Enter();
        DurableTask task = DurableTimer.Start(TimeSpan.FromSeconds(5)).Task;
        Advance(4.9);
        Assert.False(task.IsCompleted);
        Advance(0.1);
        Assert.True(task.IsCompletedSuccessfully);
        Assert.Empty(_timers.Pending);
    }

    [Fact]
    public void A_delay_without_end_is_the_end_of_time_and_no_overflow()
    {
        using TurnScope scope = _turn.Enter();
        Assert.Equal(DateTimeOffset.MaxValue, DurableTimer.Start(TimeSpan.MaxValue).Deadline);
        Assert.Equal(_timers.LogTime, DurableTimer.Start(TimeSpan.MinValue).Deadline);
    }

    [Fact]
    public void A_time_out_fails_the_wait_and_forgets_the_task()
    {
        using TurnScope scope = _turn.Enter();
        DurableCompletion<int> completion = new();
        DurableTask<int> limited = completion.Task.WithTimeout(TimeSpan.FromSeconds(1));
        DurableTask untyped = ((DurableTask)completion.Task).WithTimeout(TimeSpan.FromSeconds(2));
        Advance(1);
        Assert.IsType<TimeoutException>(limited.Exception);
        Assert.False(untyped.IsCompleted);
        completion.SetResult(1);
        _turn.Drain();
        Assert.True(untyped.IsCompletedSuccessfully);
        Assert.IsType<TimeoutException>(limited.Exception);
        Assert.Empty(_timers.Pending);
    }

    [Fact]
    public void A_result_in_time_disarms_the_timer()
    {
        using TurnScope scope = _turn.Enter();
        DurableCompletion<int> completion = new();
        DurableTask<int> limited = completion.Task.WithTimeout(TimeSpan.FromSeconds(1));
        DurableCompletion<int> failing = new();
        DurableTask<int> failed = failing.Task.WithTimeout(TimeSpan.FromSeconds(1));
        completion.SetResult(7);
        failing.SetException(new InvalidOperationException("own"));
        _turn.Drain();
        Assert.Equal(7, limited.Result);
        Assert.Equal("own", failed.Exception!.Message);
        Assert.Empty(_timers.Pending);
    }

    [Fact]
    public void A_time_out_that_was_saved_still_works()
    {
        using TurnScope scope = _turn.Enter();
        Waiting waiting = new();
        waiting.Limited = waiting.Completion.Task.WithTimeout(TimeSpan.FromSeconds(1));
        waiting.Timer = _timers.Pending.Values.Single();
        Waiting copy = Graph.Copy(waiting);
        _timers.Pending.Clear();
        _timers.Pending.Add(copy.Timer!.Id, copy.Timer);
        Advance(1);
        Assert.IsType<TimeoutException>(copy.Limited.Exception);
        Assert.False(waiting.Limited.IsCompleted);
    }

    [Fact]
    public void A_turn_without_timers_refuses_delays_with_a_sentence()
    {
        Turn bare = new();
        using TurnScope scope = bare.Enter();
        Assert.Contains("running immortal", Assert.Throws<InvalidOperationException>(() => DurableTimer.Start(TimeSpan.Zero)).Message,
            StringComparison.Ordinal);
    }

    private void Advance(double seconds)
    {
        _timers.LogTime += TimeSpan.FromSeconds(seconds);
        _timers.FireDue();
        _turn.Drain();
    }

    private sealed class Waiting
    {
        public DurableCompletion<int> Completion = new();
        public DurableTask<int> Limited;
        public DurableTimer? Timer;
    }
}
