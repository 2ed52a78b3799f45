using System.Runtime.CompilerServices;

namespace Ambrosia.Runtime;

/// <summary>What both builders do when a method suspends.</summary>
internal static class DurableSuspension
{
    public static void Suspend<TAwaiter, TStateMachine, T>(ref DurableCell<T>? cell, ref TAwaiter awaiter, ref TStateMachine stateMachine)
        where TAwaiter : INotifyCompletion
        where TStateMachine : IAsyncStateMachine
    {
        if (Turn.Current is { IsQuery: true })
        {
            _ = Turn.Required; // Throws: a waiter would become a part of the state.
        }

        // The null test lets the JIT fold the whole branch away for the struct awaiters of durable tasks.
        if (default(TAwaiter) is not null && awaiter is IDurableAwaiter)
        {
            ((IDurableAwaiter)awaiter).AddWaiter(BoxOf(ref cell, ref stateMachine));
        }
        else if (awaiter is IDurableAwaiter durable)
        {
            durable.AddWaiter(BoxOf(ref cell, ref stateMachine));
        }
        else
        {
            throw new NotSupportedException(
                $"An immortal can only await durable tasks: a suspension at {typeof(TAwaiter)} could neither be saved nor replayed. Send "
                + $"what comes from outside as an impulse.");
        }
    }

    /// <summary>
    /// A debugger asks for this object before the first suspension and compares it after the resumption, so it has to be
    /// the box of later. The state machine is unknown by then, as in the builder of Task.
    /// </summary>
    public static DurableCell<T> BoxForDebugger<T>(ref DurableCell<T>? cell) => cell ??= new DurableBox<IAsyncStateMachine, T>();

    private static DurableCell<T> BoxOf<TStateMachine, T>(ref DurableCell<T>? cell, ref TStateMachine stateMachine)
        where TStateMachine : IAsyncStateMachine
    {
        if (cell is DurableBox<TStateMachine, T> existing)
        {
            return existing;
        }
        if (cell is DurableBox<IAsyncStateMachine, T> debugged)
        {
            debugged.StateMachine ??= stateMachine;
            return debugged;
        }
        DurableBox<TStateMachine, T> box = new();
        cell = box; // Before the copy: the builder inside the box must refer to the box.
        box.StateMachine = stateMachine;
        return box;
    }
}
