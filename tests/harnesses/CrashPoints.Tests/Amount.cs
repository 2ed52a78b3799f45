using System.Globalization;

namespace Ambrosia.CrashPoints.Tests;

/// <summary>How much is looked at: AMBROSIA_CRASH_STATES for each crash point, else what CI does, or eight times as much in a
/// soak.</summary>
internal static class Amount
{
    private const int Ordinary = 60;

    /// <summary>Most states for one crash point.</summary>
    public static int StatesPerPoint { get; } = int.TryParse(Environment.GetEnvironmentVariable("AMBROSIA_CRASH_STATES"), NumberStyles.None,
        CultureInfo.InvariantCulture, out int asked) ? asked
        : Environment.GetEnvironmentVariable("AMBROSIA_SOAK") == "1" ? 512 : Ordinary;

    /// <summary>Different states that must come together.</summary>
    public static int LeastStates => StatesPerPoint >= Ordinary ? 20_000 : 0;

    /// <summary>Operations from one kill to the next.</summary>
    public static int KillStep => StatesPerPoint >= 512 ? 1 : 10;
}
