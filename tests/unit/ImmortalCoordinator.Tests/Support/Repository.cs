namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>The source tree that the tests were built from.</summary>
public static class Repository
{
    public static string Root { get; } = Find(AppContext.BaseDirectory);

    public static IEnumerable<string> Sources(string folder) =>
        Directory.EnumerateFiles(Path.Combine(Root, folder), "*.cs", SearchOption.AllDirectories)
            .Where(static path => !path.Contains("/obj/", StringComparison.Ordinal) && !path.Contains("/bin/", StringComparison.Ordinal));

    private static string Find(string folder) =>
        File.Exists(Path.Combine(folder, "ambrosia.sln")) ? folder
        : Find(Path.GetDirectoryName(folder) ?? throw new DirectoryNotFoundException("no ambrosia.sln above the tests"));
}
