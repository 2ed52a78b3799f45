namespace Ambrosia.Runtime;

/// <summary>Completes with the first of its tasks that does.</summary>
internal sealed class WhenAnyCell : DurableCell<DurableTask>
{
    private DurableTask[]? _tasks;

    private WhenAnyCell(DurableTask[] tasks) => _tasks = tasks;

    public static DurableTask<DurableTask> Start(DurableTask[] tasks)
    {
        if (tasks.Length == 0)
        {
            throw new ArgumentException("WhenAny needs at least one task.", nameof(tasks));
        }
        foreach (DurableTask task in tasks)
        {
            if (task.IsCompleted)
            {
                return new DurableTask<DurableTask>(task);
            }
        }
        WhenAnyCell any = new(tasks);
        foreach (DurableTask task in tasks)
        {
            task.Cell!.AddWaiter(any);
        }
        return new DurableTask<DurableTask>(any);
    }

    protected internal override void Resume(DurableCell completed)
    {
        if (_tasks is not { } tasks)
        {
            return; // A second one completed in the same turn.
        }
        _tasks = null;
        foreach (DurableTask task in tasks)
        {
            task.Cell!.RemoveWaiter(this); // A long-lived task raced again and again must not collect dead waiters.
        }
        TryComplete(new DurableTask(completed));
    }
}
