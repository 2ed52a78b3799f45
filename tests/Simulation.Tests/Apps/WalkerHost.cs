namespace Ambrosia.Simulation.Tests;

/// <summary>What a walker is given by its simulated process: the workload, and the observer's ear.</summary>
internal sealed record WalkerHost(AppLife Life, Workload Workload, PoisonPlan Poison, Action Die, Action<Walker> BecamePrimary)
{
    public string Name => Life.Instance;

    public SimOracle Oracle => Life.Listener;
}
