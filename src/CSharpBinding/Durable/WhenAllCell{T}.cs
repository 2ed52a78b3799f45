namespace Ambrosia.Runtime;

/// <summary>Collects the results of all of its tasks.</summary>
internal sealed class WhenAllCell<T> : DurableCell<T[]>
{
    private DurableTask<T>[]? _tasks;
    private int _missing;

    private WhenAllCell(DurableTask<T>[] tasks) => _tasks = tasks;

    /// <summary>The cell of the collected results, complete already if all tasks are.</summary>
    public static DurableTask<T[]> Start(DurableTask<T>[] tasks)
    {
        WhenAllCell<T> all = new(tasks);
        foreach (DurableTask<T> task in tasks)
        {
            if (!task.IsCompleted)
            {
                all._missing++;
                task.Cell!.AddWaiter(all);
            }
        }
        if (all._missing > 0)
        {
            return new DurableTask<T[]>(all);
        }
        return FirstError(tasks) is { } error ? new DurableTask<T[]>(new DurableCell<T[]>(error)) : new DurableTask<T[]>(Results(tasks));
    }

    protected internal override void Resume(DurableCell completed)
    {
        if (--_missing > 0)
        {
            return;
        }
        DurableTask<T>[] tasks = _tasks!;
        _tasks = null; // Not saved, nor kept alive, longer than needed.
        if (FirstError(tasks) is { } error)
        {
            TryFail(error);
        }
        else
        {
            TryComplete(Results(tasks));
        }
    }

    private static T[] Results(DurableTask<T>[] tasks) => Array.ConvertAll(tasks, static task => task.Result);

    private static Exception? FirstError(DurableTask<T>[] tasks)
    {
        foreach (DurableTask<T> task in tasks)
        {
            if (task.Exception is { } error)
            {
                return error;
            }
        }
        return null;
    }
}
