namespace Ambrosia.Simulation.Tests;

/// <summary>What one coordinator has of its service, beside the service itself.</summary>
/// <param name="Wire">The way there.</param>
/// <param name="IsAlive">Whether a process of this instance lives.</param>
/// <param name="IsSameMachine">All processes of the instance are on one machine, and see it when one of them is dead.</param>
internal sealed record ServiceAccess(ServiceWire Wire, Func<string, bool> IsAlive, bool IsSameMachine)
{
    public bool IsKnownDead(string process) => IsSameMachine && !IsAlive(process);
}
