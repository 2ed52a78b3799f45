using System.ComponentModel;
using System.Runtime.CompilerServices;

namespace Ambrosia.Runtime;

#pragma warning disable CA1822 // The compiler and debuggers call these as instance members.

/// <summary>Used by the compiler for <c>async DurableTask&lt;T&gt;</c> methods.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public struct DurableTaskMethodBuilder<T>
{
    private DurableCell<T>? _cell;
    private T? _result;

    /// <summary>The task of the method; a plain value when it completed without suspending.</summary>
    public readonly DurableTask<T> Task => _cell is null ? new DurableTask<T>(_result!) : new DurableTask<T>(_cell);

    // Read by debuggers by its name, to step over an await.
    private object ObjectIdForDebugger => DurableSuspension.BoxForDebugger(ref _cell);

    /// <summary>A new builder.</summary>
    public static DurableTaskMethodBuilder<T> Create() => default;

    /// <summary>Runs the method until its first suspension.</summary>
    public readonly void Start<TStateMachine>(ref TStateMachine stateMachine)
        where TStateMachine : IAsyncStateMachine => stateMachine.MoveNext();

    /// <summary>Unused: the box is made at the suspension.</summary>
    public readonly void SetStateMachine(IAsyncStateMachine stateMachine)
    {
    }

    /// <summary>Completes the task.</summary>
    public void SetResult(T result)
    {
        if (_cell is null)
        {
            _result = result;
        }
        else
        {
            _cell.TryComplete(result);
        }
    }

    /// <summary>Fails the task; a failure of the process is thrown instead, out of the turn.</summary>
    public void SetException(Exception exception)
    {
        if (_cell is null)
        {
            _cell = new DurableCell<T>(exception);
        }
        else
        {
            _cell.TryFail(exception);
        }
    }

    /// <summary>Suspends the method.</summary>
    public void AwaitOnCompleted<TAwaiter, TStateMachine>(ref TAwaiter awaiter, ref TStateMachine stateMachine)
        where TAwaiter : INotifyCompletion
        where TStateMachine : IAsyncStateMachine => DurableSuspension.Suspend(ref _cell, ref awaiter, ref stateMachine);

    /// <summary>Suspends the method.</summary>
    public void AwaitUnsafeOnCompleted<TAwaiter, TStateMachine>(ref TAwaiter awaiter, ref TStateMachine stateMachine)
        where TAwaiter : ICriticalNotifyCompletion
        where TStateMachine : IAsyncStateMachine => DurableSuspension.Suspend(ref _cell, ref awaiter, ref stateMachine);

    // Called by debuggers by its name: they wish to stop when an async method returns. Turns run on one thread, so a step in Drain shows
    // it.
    private readonly void SetNotificationForWaitCompletion(bool enabled) => _ = enabled;
}
