namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>Where the build put the programs that the tests start.</summary>
internal static class Executables
{
    public static string Coordinator { get; } = Given("AMBROSIA_COORDINATOR")
        ?? Built("src/ImmortalCoordinator", "Ambrosia.ImmortalCoordinator");

    public static string App { get; } = Built("tests/support/EndToEnd.App", "EndToEnd.App");

    public static string Command { get; } = Given("AMBROSIA_COMMAND") ?? Built("src/Ambrosia", "ambrosia");

    private static string? Given(string variable) =>
        Environment.GetEnvironmentVariable(variable) is { Length: > 0 } given ? given : null;

    // .../tests/system/EndToEnd.Tests/bin/Debug/net8.0/ -> the same configuration of another project.
    private static string Built(string project, string name)
    {
        string[] here = AppContext.BaseDirectory.TrimEnd('/').Split('/');
        string root = string.Join('/', here[..^6]);
        return Path.Combine(root, project, "bin", here[^2], here[^1], name);
    }
}
