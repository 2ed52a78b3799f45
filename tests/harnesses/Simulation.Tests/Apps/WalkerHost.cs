namespace Ambrosia.Simulation.Tests;

/// <summary>What a walker is given by its simulated process: the workload, and the observer's ear.</summary>
internal sealed record WalkerHost(
    AppLife Life, Workload Workload, PoisonPlan Poison, EffectPlan Effects, AwakeablePlan Awakeables,
    Func<Walker, ulong, EffectStep, DurableTask> Errand, Action Die,
    Action<Walker> BecamePrimary)
{
    /// <summary>Keys of the effects that are asked for.</summary>
    public EffectOrdinals Ordinals { get; } = new();

    public string Name => Life.Instance;

    public SimOracle Oracle => Life.Listener;
}
