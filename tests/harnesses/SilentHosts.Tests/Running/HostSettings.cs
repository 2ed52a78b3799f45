using System.Globalization;

namespace Ambrosia.SilentHosts.Tests.Running;

/// <summary>What can be set from outside.</summary>
internal static class HostSettings
{
    /// <summary>Seed of all random choices. AMBROSIA_HOST_SEED; drawn afresh by default.</summary>
    public static int Seed { get; } = Read("AMBROSIA_HOST_SEED", Random.Shared.Next(1, 1_000_000));

    /// <summary>Hosts that vanish. AMBROSIA_HOST_DEATHS; 20 by default, 2,000 with AMBROSIA_SOAK=1.</summary>
    public static int Deaths { get; } = Read("AMBROSIA_HOST_DEATHS", Soak ? 2_000 : 20);

    /// <summary>Cuts of the network that nobody dies of. AMBROSIA_HOST_CUTS; 10 by default, 600 with AMBROSIA_SOAK=1.</summary>
    public static int Cuts { get; } = Read("AMBROSIA_HOST_CUTS", Soak ? 600 : 10);

    /// <summary>Moves of an instance from one host to another. AMBROSIA_MOVES; 4 by default, 20 with AMBROSIA_SOAK=1.</summary>
    public static int Moves { get; } = Read("AMBROSIA_MOVES", Soak ? 20 : 4);

    private static bool Soak => Environment.GetEnvironmentVariable("AMBROSIA_SOAK") == "1";

    private static int Read(string name, int otherwise) =>
        int.TryParse(Environment.GetEnvironmentVariable(name), NumberStyles.None, CultureInfo.InvariantCulture, out int value) ? value
        : otherwise;
}
