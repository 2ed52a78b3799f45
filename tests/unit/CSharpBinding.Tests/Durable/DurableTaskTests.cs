using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.Durable;

public sealed class DurableTaskTests : IDisposable
{
    private readonly Turn _turn = new();

    public void Dispose() => Assert.True(_turn.IsIdle);

    [Fact]
    public void A_value_converts_to_a_completed_task_that_holds_no_cell()
    {
        DurableTask<int> task = 5;
        Assert.True(task.IsCompletedSuccessfully);
        Assert.Equal(5, task.Result);
        Assert.True(default(DurableTask).IsCompleted);
        Assert.True(default(DurableTask<string>).IsCompleted);
    }

    [Fact]
    public void A_method_resumes_from_the_queue_of_the_turn_and_not_inside_the_completion()
    {
        List<string> trace = [];
        DurableCompletion<int> completion = new();
        async DurableTask<int> Method()
        {
            trace.Add("before");
            int value = await completion.Task;
            trace.Add("after");
            return value + 1;
        }
        using TurnScope scope = _turn.Enter();
        DurableTask<int> task = Method();
        completion.SetResult(1);
        trace.Add("completed");
        Assert.False(task.IsCompleted);
        _turn.Drain();
        Assert.Equal(["before", "completed", "after"], trace);
        Assert.Equal(2, task.Result);
    }

    [Fact]
    public void Waiters_resume_in_the_order_in_which_they_came()
    {
        List<int> order = [];
        DurableCompletion<int> completion = new();
        async DurableTask Wait(int id)
        {
            await completion.Task;
            order.Add(id);
        }
        using TurnScope scope = _turn.Enter();
        DurableTask all = DurableTask.WhenAll(Wait(1), Wait(2), Wait(3), Wait(4), Wait(5), Wait(6));
        completion.SetResult(0);
        _turn.Drain();
        Assert.True(all.IsCompletedSuccessfully);
        Assert.Equal([1, 2, 3, 4, 5, 6], order);
    }

    [Fact]
    public void A_completion_outside_the_turn_is_refused_with_a_sentence()
    {
        DurableCompletion<int> completion = new();
        InvalidOperationException error = Assert.Throws<InvalidOperationException>(() => completion.SetResult(1));
        Assert.Contains("impulse", error.Message, StringComparison.Ordinal);
        Assert.False(completion.Task.IsCompleted);
    }

    [Fact]
    public void Awaiting_anything_but_a_durable_task_fails_the_method_with_a_sentence()
    {
        TaskCompletionSource never = new(TaskCreationOptions.RunContinuationsAsynchronously);
        async DurableTask Method() => await never.Task;
        using TurnScope scope = _turn.Enter();
        DurableTask task = Method();
        Assert.True(task.IsFaulted);
        Assert.Contains("durable tasks", Assert.IsType<NotSupportedException>(task.Exception).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void An_async_Task_method_inside_a_turn_cannot_await_a_durable_task()
    {
        DurableCompletion<int> completion = new();
        async Task<int> Method() => await completion.Task;
        using TurnScope scope = _turn.Enter();
        Task<int> task = Method();
        Assert.Contains("'async Task'", task.Exception!.InnerException!.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Blocking_on_a_pending_task_throws_instead_of_hanging()
    {
        DurableCompletion<int> completion = new();
        Assert.Throws<InvalidOperationException>(() => completion.Task.Result);
        Assert.Throws<InvalidOperationException>(() => completion.Task.GetAwaiter().GetResult());
    }

    [Fact]
    public void An_exception_travels_to_every_awaiter()
    {
        DurableCompletion<int> completion = new();
        async DurableTask<string> Method()
        {
            try
            {
                await completion.Task;
                return "none";
            }
            catch (ArgumentException e)
            {
                return e.Message;
            }
        }
        using TurnScope scope = _turn.Enter();
        DurableTask<string[]> all = DurableTask.WhenAll(Method(), Method());
        completion.SetException(new ArgumentException("bad"));
        _turn.Drain();
        Assert.Equal(["bad", "bad"], all.Result);
    }

    [Fact]
    public void WhenAll_fails_with_the_first_error_in_the_order_given_but_only_when_all_are_complete()
    {
        DurableCompletion<int> first = new();
        DurableCompletion<int> second = new();
        using TurnScope scope = _turn.Enter();
        DurableTask<int[]> all = DurableTask.WhenAll(first.Task, second.Task);
        second.SetException(new InvalidOperationException("second"));
        _turn.Drain();
        Assert.False(all.IsCompleted);
        first.SetException(new InvalidOperationException("first"));
        _turn.Drain();
        Assert.Equal("first", all.Exception!.Message);
    }

    [Fact]
    public void WhenAny_gives_the_winner_and_leaves_no_waiter_behind_on_the_losers()
    {
        DurableCompletion<int> slow = new();
        using TurnScope scope = _turn.Enter();
        for (int i = 0; i < 100; i++)
        {
            DurableCompletion<int> fast = new();
            DurableTask<DurableTask<int>> any = DurableTask.WhenAny(slow.Task, fast.Task);
            fast.SetResult(i);
            _turn.Drain();
            Assert.Equal(fast.Task, any.Result);
            Assert.Equal(i, any.Result.Result);
        }
        int resumed = 0;
        async DurableTask Count()
        {
            await slow.Task;
            resumed++;
        }
        DurableTask count = Count();
        slow.SetResult(0);
        _turn.Drain();
        Assert.True(count.IsCompleted);
        Assert.Equal(1, resumed);
    }

    [Fact]
    public void A_durable_cancellation_wins_over_a_task_that_is_not_complete()
    {
        DurableCompletion<int> completion = new();
        DurableCancellation cancellation = new();
        using TurnScope scope = _turn.Enter();
        DurableTask<int> cancelled = completion.Task.WithCancellation(cancellation);
        DurableTask untyped = ((DurableTask)completion.Task).WithCancellation(cancellation);
        cancellation.Cancel();
        _turn.Drain();
        Assert.IsType<OperationCanceledException>(cancelled.Exception);
        Assert.IsType<OperationCanceledException>(untyped.Exception);
        Assert.Throws<OperationCanceledException>(cancellation.ThrowIfCancelled);
        completion.SetResult(1);
        _turn.Drain();
    }
}
