namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>Where the build put the programs that the tests start.</summary>
internal static class Executables
{
    public static string Coordinator { get; } =
        Environment.GetEnvironmentVariable("AMBROSIA_COORDINATOR") is { Length: > 0 } given ? given
        : Built("src/ImmortalCoordinator", "Ambrosia.ImmortalCoordinator");

    public static string App { get; } = Built("tests/support/EndToEnd.App", "EndToEnd.App");

    public static string Command { get; } = Built("src/Ambrosia", "ambrosia");

    // .../tests/system/EndToEnd.Tests/bin/Debug/net8.0/ -> the same configuration of another project.
    private static string Built(string project, string name)
    {
        string[] here = AppContext.BaseDirectory.TrimEnd('/').Split('/');
        string root = string.Join('/', here[..^6]);
        return Path.Combine(root, project, "bin", here[^2], here[^1], name);
    }
}
