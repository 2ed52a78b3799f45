namespace Ambrosia.Runtime;

/// <summary>Completes when all of its tasks have.</summary>
internal sealed class WhenAllCell : DurableCell<Nothing>
{
    private DurableTask[]? _tasks;
    private int _missing;

    private WhenAllCell(DurableTask[] tasks) => _tasks = tasks;

    /// <summary>The cell that waits for the tasks, a failed one, or null when all are complete already.</summary>
    public static DurableCell? Start(DurableTask[] tasks)
    {
        WhenAllCell all = new(tasks);
        foreach (DurableTask task in tasks)
        {
            if (!task.IsCompleted)
            {
                all._missing++;
                task.Cell!.AddWaiter(all);
            }
        }
        if (all._missing > 0)
        {
            return all;
        }
        return FirstError(tasks) is { } error ? new DurableCell<Nothing>(error) : null;
    }

    protected internal override void Resume(DurableCell completed)
    {
        if (--_missing > 0)
        {
            return;
        }
        DurableTask[] tasks = _tasks!;
        _tasks = null; // Not saved, nor kept alive, longer than needed.
        if (FirstError(tasks) is { } error)
        {
            TryFail(error);
        }
        else
        {
            TryComplete(default);
        }
    }

    private static Exception? FirstError(DurableTask[] tasks)
    {
        foreach (DurableTask task in tasks)
        {
            if (task.Exception is { } error)
            {
                return error;
            }
        }
        return null;
    }
}
