namespace Ambrosia.Runtime;

/// <summary>Completes with the first of its tasks that does.</summary>
internal sealed class WhenAnyCell<T> : DurableCell<DurableTask<T>>
{
    private DurableTask<T>[]? _tasks;

    private WhenAnyCell(DurableTask<T>[] tasks) => _tasks = tasks;

    public static DurableTask<DurableTask<T>> Start(DurableTask<T>[] tasks)
    {
        if (tasks.Length == 0)
        {
            throw new ArgumentException("WhenAny needs at least one task.", nameof(tasks));
        }
        foreach (DurableTask<T> task in tasks)
        {
            if (task.IsCompleted)
            {
                return new DurableTask<DurableTask<T>>(task);
            }
        }
        WhenAnyCell<T> any = new(tasks);
        foreach (DurableTask<T> task in tasks)
        {
            task.Cell!.AddWaiter(any);
        }
        return new DurableTask<DurableTask<T>>(any);
    }

    protected internal override void Resume(DurableCell completed)
    {
        if (_tasks is not { } tasks)
        {
            return; // A second one completed in the same turn.
        }
        _tasks = null;
        foreach (DurableTask<T> task in tasks)
        {
            task.Cell!.RemoveWaiter(this); // A long-lived task raced again and again must not collect dead waiters.
        }
        TryComplete(new DurableTask<T>((DurableCell<T>)completed));
    }
}
