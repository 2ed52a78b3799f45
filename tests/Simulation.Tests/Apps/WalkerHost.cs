namespace Ambrosia.Simulation.Tests;

/// <summary>What a walker is given by its simulated process: the workload, and the observer's ear.</summary>
internal sealed record WalkerHost(string Name, Workload Workload, SimOracle Oracle, Action<Walker> BecamePrimary);
