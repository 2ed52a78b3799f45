using System.Reflection;
using System.Runtime.CompilerServices;
using Ambrosia.CSharpBinding.Tests.State;
using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.Durable;

/// <summary>Debuggers step over an await by names that they look for in the method builder.</summary>
public sealed class DebuggerTests
{
    private const BindingFlags Hidden = BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public;

    [Theory]
    [InlineData(typeof(DurableTaskMethodBuilder))]
    [InlineData(typeof(DurableTaskMethodBuilder<int>))]
    public void Builders_have_what_debuggers_look_for(Type builder)
    {
        Assert.Equal(typeof(object), builder.GetProperty("ObjectIdForDebugger", Hidden)!.PropertyType);
        Assert.Equal([typeof(bool)], builder.GetMethod("SetNotificationForWaitCompletion", Hidden)!.GetParameters()
            .Select(parameter => parameter.ParameterType));
    }

    [Fact]
    public void The_id_that_a_debugger_got_before_the_first_await_is_that_of_the_suspended_method_which_still_can_be_saved()
    {
        Turn turn = new();
        using TurnScope scope = turn.Enter();
        Machine machine = new() { Gate = new() };
        object builder = machine.Builder;
        object before = typeof(DurableTaskMethodBuilder<int>).GetProperty("ObjectIdForDebugger", Hidden)!.GetValue(builder)!;
        machine.Builder = (DurableTaskMethodBuilder<int>)builder;
        machine.MoveNext();
        DurableTask<int> task = machine.Builder.Task;
        Assert.Same(before, machine.Id());
        State state = new() { Gate = machine.Gate, Task = task };
        State copy = Graph.Copy(state);
        copy.Gate.SetResult(5);
        turn.Drain();
        Assert.Equal(6, copy.Task.Result);
        Assert.False(task.IsCompleted);
        state.Gate.SetResult(7);
        turn.Drain();
        Assert.Equal(8, task.Result);
    }

    private sealed class State
    {
        public DurableCompletion<int> Gate = null!;
        public DurableTask<int> Task;
    }

    // What the compiler makes of: async DurableTask<int> M() => await Gate.Task + 1;
    private struct Machine : IAsyncStateMachine
    {
        public DurableTaskMethodBuilder<int> Builder;
        public DurableCompletion<int> Gate;
        private DurableTaskAwaiter<int> _awaiter;
        private int _state;

        public readonly object Id() => typeof(DurableTaskMethodBuilder<int>).GetField("_cell", Hidden)!.GetValue(Builder)!;

        public void MoveNext()
        {
            if (_state == 0)
            {
                _state = 1;
                _awaiter = Gate.Task.GetAwaiter();
                Builder.AwaitUnsafeOnCompleted(ref _awaiter, ref this);
                return;
            }
            Builder.SetResult(_awaiter.GetResult() + 1);
        }

        public void SetStateMachine(IAsyncStateMachine stateMachine)
        {
        }
    }
}
