using System.Globalization;

namespace Ambrosia.SystemFaults.Tests.Running;

/// <summary>What can be set from outside.</summary>
internal static class FaultSettings
{
    /// <summary>Seed of all random choices. AMBROSIA_FAULT_SEED; drawn afresh by default.</summary>
    public static int Seed { get; } = Read("AMBROSIA_FAULT_SEED", Random.Shared.Next(1, 1_000_000));

    /// <summary>Times that every call of the log store meets every error. AMBROSIA_FAULT_ROUNDS; 1 by default, 30 with
    /// AMBROSIA_SOAK=1.</summary>
    public static int Rounds { get; } = Read("AMBROSIA_FAULT_ROUNDS", Soak ? 30 : 1);

    /// <summary>Faults of coordinators that serve. AMBROSIA_NODE_FAULTS; 64 by default, 2,000 with AMBROSIA_SOAK=1.</summary>
    public static int NodeFaults { get; } = Read("AMBROSIA_NODE_FAULTS", Soak ? 2_000 : 64);

    /// <summary>Times that a disk is filled and freed. AMBROSIA_FULL_DISKS; 20 by default, 500 with AMBROSIA_SOAK=1.</summary>
    public static int FullDisks { get; } = Read("AMBROSIA_FULL_DISKS", Soak ? 500 : 20);

    private static bool Soak => Environment.GetEnvironmentVariable("AMBROSIA_SOAK") == "1";

    private static int Read(string name, int otherwise) =>
        int.TryParse(Environment.GetEnvironmentVariable(name), NumberStyles.None, CultureInfo.InvariantCulture, out int value) ? value
        : otherwise;
}
