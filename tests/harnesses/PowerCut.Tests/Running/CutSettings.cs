using System.Globalization;

namespace Ambrosia.PowerCut.Tests.Running;

/// <summary>What can be set from outside.</summary>
internal static class CutSettings
{
    /// <summary>Seed of all random choices. AMBROSIA_CUT_SEED; drawn afresh by default.</summary>
    public static int Seed { get; } = Read("AMBROSIA_CUT_SEED", Random.Shared.Next(1, 1_000_000));

    /// <summary>Power cuts of the log store. AMBROSIA_CUTS; 400 by default, 50,000 with AMBROSIA_SOAK=1.</summary>
    public static int Cuts { get; } = Read("AMBROSIA_CUTS", Soak ? 50_000 : 400);

    /// <summary>Power cuts of machines with coordinator and app. AMBROSIA_MACHINE_CUTS; 20 by default, 1,500 with
    /// AMBROSIA_SOAK=1.</summary>
    public static int MachineCuts { get; } = Read("AMBROSIA_MACHINE_CUTS", Soak ? 1_500 : 20);

    /// <summary>Disks that are cut side by side.</summary>
    public static int Lanes => Math.Clamp(2 * Environment.ProcessorCount, 2, 8);

    private static bool Soak => Environment.GetEnvironmentVariable("AMBROSIA_SOAK") == "1";

    private static int Read(string name, int otherwise) =>
        int.TryParse(Environment.GetEnvironmentVariable(name), NumberStyles.None, CultureInfo.InvariantCulture, out int value) ? value
        : otherwise;
}
