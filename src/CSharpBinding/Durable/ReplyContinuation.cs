using System.ComponentModel;

namespace Ambrosia.Runtime;

/// <summary>
/// Waits for a handler and answers its caller. A saved object (its fields are state), so that an answer is still owed after recovery.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class ReplyContinuation : DurableWaiter
{
    /// <summary>Called in the turn once the handler has completed or failed.</summary>
    /// <param name="completed">A <see cref="DurableCell{T}"/> of the handler's result type; of <see cref="Nothing"/> or any other type for
    /// a handler without a result.</param>
    public abstract void Invoke(DurableCell completed);

    /// <summary>Registers this for a task that is not complete; for a completed one use its result directly, which costs nothing.</summary>
    public void Await(DurableTask task) => CellOf(task.Cell).AddWaiter(this);

    /// <inheritdoc cref="Await(DurableTask)"/>
    public void Await<T>(DurableTask<T> task) => CellOf(task.Cell).AddWaiter(this);

    /// <inheritdoc/>
    protected internal sealed override void Resume(DurableCell completed) => Invoke(completed);

    private static DurableCell CellOf(DurableCell? cell) =>
        cell ?? throw new ArgumentException("The task is complete already.");
}
