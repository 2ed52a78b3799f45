using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;

namespace Ambrosia.Coordinator.Ingest;

/// <summary>
/// Logs which version and which build executes from a record on, and completes once the record that says so is durable and applied.
/// </summary>
/// <param name="pending">What is logged with the next record.</param>
/// <param name="state">What the records are applied to.</param>
/// <param name="hasReplicas">Whether other processes may follow the log.</param>
/// <param name="flush">Asks for a record.</param>
internal sealed class DecisionLog(PendingMarks pending, CoordinatorState state, bool hasReplicas, Action flush)
{
    private readonly List<TaskCompletionSource> _waiting = [];
    private bool _abandoned;

    /// <summary>Logs an upgrade, or that one is tried.</summary>
    public Task LogAsync(VersionChange mark)
    {
        TaskCompletionSource applied = Wait();
        pending.Add(mark with { Applied = applied });
        flush();
        return applied.Task;
    }

    /// <summary>Logs a build, if there are replicas: else nobody follows that would have to learn of it.</summary>
    public async ValueTask LogAsync(BuildStep mark)
    {
        if (!hasReplicas)
        {
            state.Upgrades.Apply(mark);
            return;
        }

        TaskCompletionSource applied = Wait();
        pending.Add(mark with { Applied = applied });
        flush();
        await applied.Task;
    }

    /// <summary>A record of this process is durable and applied to the state.</summary>
    public void BecameDurable(RecordMarks marks)
    {
        foreach (VersionChange mark in marks.Upgrades)
        {
            Complete(mark.Applied);
        }

        foreach (BuildStep mark in marks.Builds)
        {
            Complete(mark.Applied);
        }
    }

    /// <summary>The log ends: nothing is decided any more.</summary>
    public void Abandon()
    {
        _abandoned = true;
        foreach (TaskCompletionSource waiting in _waiting.ToList())
        {
            waiting.TrySetCanceled();
        }
    }

    private TaskCompletionSource Wait()
    {
        var applied = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        if (_abandoned)
        {
            applied.SetCanceled(); // No record would complete it.
        }
        else
        {
            _waiting.Add(applied);
        }

        return applied;
    }

    private void Complete(TaskCompletionSource? applied)
    {
        if (applied is not null)
        {
            _waiting.Remove(applied);
            applied.TrySetResult();
        }
    }
}
