namespace Ambrosia.Runtime;

/// <summary>Takes the call that a schedule runs.</summary>
internal sealed class ScheduleRecorder(ScheduleTable table, string name, string expression, string zone, Missed missed) : CallRecorder
{
    /// <inheritdoc/>
    public override string Advice =>
        $"Schedule '{name}' runs one call whose result nobody awaits: write Every(...).NameFork(...) in one expression.";

    /// <inheritdoc/>
    protected override void Take(int methodId, byte[] arguments) => table.Set(name, expression, zone, missed, methodId, arguments);
}
