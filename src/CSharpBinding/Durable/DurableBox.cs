using System.Runtime.CompilerServices;

namespace Ambrosia.Runtime;

/// <summary>A suspended method: its state machine, the cell of its result and the waiter for what it awaits, in one object.</summary>
internal sealed class DurableBox<TStateMachine, T> : DurableCell<T>
    where TStateMachine : IAsyncStateMachine
{
    // Assigned by the builder after it holds this box itself, so that the copy of the state machine in here knows it too.
    internal TStateMachine? StateMachine;

    internal override Type? Code => typeof(TStateMachine).IsInterface ? StateMachine?.GetType() : typeof(TStateMachine);

    protected internal override void Resume(DurableCell completed) => StateMachine!.MoveNext();

    // The locals are dead: what they refer to must not live (or be saved) as long as the result does.
    private protected override void OnFinished() => StateMachine = default;
}
