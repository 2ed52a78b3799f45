namespace Ambrosia.Planted;

/// <summary>The one bug that this process has at the moment. Compiled into a build with planted bugs only.</summary>
internal static class PlantedBug
{
    // A runner that tries one bug after the other writes it anew.
    private static string? s_chosen = System.Environment.GetEnvironmentVariable("AMBROSIA_PLANTED_BUG");

    public static bool Is(string name) => s_chosen == name;
}
