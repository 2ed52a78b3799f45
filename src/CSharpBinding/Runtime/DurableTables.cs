namespace Ambrosia.Runtime;

/// <summary>What handlers have begun and not ended, in tables: a checkpoint saves them beside the immortal's fields.</summary>
internal sealed class DurableTables(ImmortalRuntime runtime)
{
    public TimerTable Timers { get; } = new(runtime.Clock);

    public ScheduleTable Schedules { get; } = new(runtime.Clock);

    public SagaTable Sagas { get; } = new();

    public EffectTable Effects { get; } = new(runtime);

    public AwakeableTable Awakeables { get; } = new(runtime);

    public PendingCalls PendingCalls { get; set; } = new();

    public FirstStart FirstStart { get; set; } = new();
}
