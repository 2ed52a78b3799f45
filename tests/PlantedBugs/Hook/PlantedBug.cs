namespace Ambrosia.Planted;

/// <summary>The one bug that this process was asked to have. Compiled into a build with planted bugs only.</summary>
internal static class PlantedBug
{
    private static readonly string? s_chosen = System.Environment.GetEnvironmentVariable("AMBROSIA_PLANTED_BUG");

    public static bool Is(string name) => s_chosen == name;
}
