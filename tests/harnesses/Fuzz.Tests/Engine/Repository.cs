namespace Ambrosia.Fuzz.Tests.Engine;

/// <summary>Where the sources lie.</summary>
internal static class Repository
{
    /// <summary>The root folder; null when the tests run elsewhere.</summary>
    public static string? Root { get; } = Find();

    private static string? Find()
    {
        for (DirectoryInfo? folder = new(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "ambrosia.sln")))
            {
                return folder.FullName;
            }
        }

        return null;
    }
}
