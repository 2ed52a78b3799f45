using System.Globalization;

namespace Ambrosia.Replicas.Tests.Running;

/// <summary>What can be set from outside.</summary>
internal static class Counts
{
    /// <summary>Kills of the primary. AMBROSIA_REPLICA_KILLS; 14 by default, 100 with AMBROSIA_SOAK=1.</summary>
    public static int Kills { get; } = Read("AMBROSIA_REPLICA_KILLS", Soak ? 100 : 10);

    /// <summary>Primaries that are stopped and replaced. AMBROSIA_REPLICA_STOPS; 5 by default, 50 with AMBROSIA_SOAK=1.</summary>
    public static int Stops { get; } = Read("AMBROSIA_REPLICA_STOPS", Soak ? 50 : 3);

    /// <summary>Moves from one place to another and back. AMBROSIA_MOVES; 4 by default, 20 with AMBROSIA_SOAK=1.</summary>
    public static int Moves { get; } = Read("AMBROSIA_MOVES", Soak ? 20 : 4);

    /// <summary>Upgrades and downgrades of an instance with replicas. AMBROSIA_REPLICA_UPGRADES; 9 by default, 50 with
    /// AMBROSIA_SOAK=1.</summary>
    public static int Upgrades { get; } = Read("AMBROSIA_REPLICA_UPGRADES", Soak ? 50 : 9);

    /// <summary>Seconds at full speed. AMBROSIA_REPLICA_SOAK; 32 by default, 3,600 with AMBROSIA_SOAK=1.</summary>
    public static int SoakSeconds { get; } = Read("AMBROSIA_REPLICA_SOAK", Soak ? 3600 : 24);

    /// <summary>Clients that call from outside. AMBROSIA_OUTSIDE_CLIENTS; 200 by default, 1,000 with AMBROSIA_SOAK=1.</summary>
    public static int OutsideClients { get; } = Read("AMBROSIA_OUTSIDE_CLIENTS", Soak ? 1000 : 200);

    /// <summary>SIGKILLs meanwhile. AMBROSIA_OUTSIDE_KILLS; 20 by default, 300 with AMBROSIA_SOAK=1.</summary>
    public static int OutsideKills { get; } = Read("AMBROSIA_OUTSIDE_KILLS", Soak ? 300 : 15);

    private static bool Soak => Environment.GetEnvironmentVariable("AMBROSIA_SOAK") == "1";

    private static int Read(string name, int otherwise) =>
        int.TryParse(Environment.GetEnvironmentVariable(name), NumberStyles.None, CultureInfo.InvariantCulture, out int value) ? value
        : otherwise;
}
