using System.Globalization;

namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>What can be set from outside; each run that fails prints the values that repeat it.</summary>
internal static class Settings
{
    /// <summary>Seed of all random choices. AMBROSIA_E2E_SEED; drawn afresh by default.</summary>
    public static int Seed { get; } = Read("AMBROSIA_E2E_SEED", Random.Shared.Next(1, 1_000_000));

    /// <summary>SIGKILLs of the chaos test. AMBROSIA_E2E_KILLS; 60 by default, 2000 with AMBROSIA_SOAK=1.</summary>
    public static int Kills { get; } = Read("AMBROSIA_E2E_KILLS", Soak ? 2000 : 60);

    /// <summary>Times that each named point is to be reached. 2, with AMBROSIA_SOAK=1 20.</summary>
    public static int TimesPerPoint { get; } = Read("AMBROSIA_E2E_POINTS", Soak ? 20 : 2);

    /// <summary>Kills between checkpoint and reply. AMBROSIA_E2E_AWAITS; 15 by default, 1000 with AMBROSIA_SOAK=1.</summary>
    public static int Awaits { get; } = Read("AMBROSIA_E2E_AWAITS", Soak ? 1000 : 15);

    /// <summary>Charges that are performed outside. AMBROSIA_E2E_CHARGES; 250 by default, 2000 with AMBROSIA_SOAK=1.</summary>
    public static int Charges { get; } = Read("AMBROSIA_E2E_CHARGES", Soak ? 2000 : 250);

    /// <summary>Moments at which something is killed meanwhile. AMBROSIA_E2E_CHARGE_KILLS; 7 by default, 50 with
    /// AMBROSIA_SOAK=1.</summary>
    public static int ChargeKills { get; } = Read("AMBROSIA_E2E_CHARGE_KILLS", Soak ? 50 : 7);

    /// <summary>Seconds of the cyclic flood. AMBROSIA_E2E_FLOOD; 10 by default, 600 with AMBROSIA_SOAK=1.</summary>
    public static int FloodSeconds { get; } = Read("AMBROSIA_E2E_FLOOD", Soak ? 600 : 10);

    /// <summary>Megabytes of the giant checkpoint. AMBROSIA_E2E_CHECKPOINT; 256 by default, 2100 with AMBROSIA_SOAK=1.</summary>
    public static int CheckpointMegabytes { get; } = Read("AMBROSIA_E2E_CHECKPOINT", Soak ? 2100 : 256);

    /// <summary>Upgrades under load. AMBROSIA_E2E_UPGRADES; 9 by default, 50 with AMBROSIA_SOAK=1.</summary>
    public static int Upgrades { get; } = Read("AMBROSIA_E2E_UPGRADES", Soak ? 50 : 9);

    /// <summary>Certificates replaced under load. AMBROSIA_E2E_ROTATIONS; 6 by default, 100 with AMBROSIA_SOAK=1.</summary>
    public static int Rotations { get; } = Read("AMBROSIA_E2E_ROTATIONS", Soak ? 100 : 6);

    private static bool Soak => Environment.GetEnvironmentVariable("AMBROSIA_SOAK") == "1";

    private static int Read(string name, int otherwise) =>
        int.TryParse(Environment.GetEnvironmentVariable(name), NumberStyles.None, CultureInfo.InvariantCulture, out int value) ? value
        : otherwise;
}
