using Ambrosia.Coordinator.Transport.Memory;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.Testing.Virtual;

namespace Ambrosia.Simulation.Tests;

/// <summary>What the nodes of one simulated cluster share.</summary>
internal sealed record SimWorld(
    VirtualLoop Loop, SimSettings Settings, Workload Workload, MemoryNetwork Network, SimOracle Oracle, SimReport Report,
        PoisonPlan Poison, ReplicaPlan Replicas, UpgradePlan Upgrades, BuildPlan Builds, RemadePlan Remade, SimLimits Limits,
        Action<string>? Print, DropPlan Drops, EffectPlan Effects, CallerPlan Callers, AwakeablePlan Awakeables)
{
    public MemoryFileSystem CatalogDisk { get; } = new();

    /// <summary>The catalog as a process reaches it.</summary>
    public ICatalog CatalogOf(VirtualProcess process)
    {
        var catalog = new FileCatalog(CatalogDisk, "/catalog", process.Time);
        return Remade.IsOn ? new LateCatalog(catalog, Remade, Report, process.Time) : catalog;
    }

    /// <summary>A fault has hit an instance in what it is doing.</summary>
    public void Count(SimFault fault, SimNode node)
    {
        SimState state = node.State;
        Loop.Note(((ulong)fault << 8) ^ (ulong)state);
        Report.Count(fault, state);
        Print?.Invoke($"{node.Name}: --- {fault} while {state}");
    }
}
