namespace Ambrosia.Runtime;

/// <summary>Takes the call that a schedule runs.</summary>
internal sealed class ScheduleRecorder(ScheduleTable table, string name, string expression, string zone, Missed missed) : ICallRecorder
{
    private bool _isDone;

    /// <inheritdoc/>
    public string Advice => $"Schedule '{name}' runs one call whose result nobody awaits: write Every(...).NameFork(...) in one expression.";

    /// <inheritdoc/>
    public void Record(int methodId, byte[] arguments)
    {
        if (_isDone)
        {
            throw new InvalidOperationException(Advice);
        }

        _isDone = true;
        table.Set(name, expression, zone, missed, methodId, arguments);
    }
}
