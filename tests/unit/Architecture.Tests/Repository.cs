using System.Diagnostics;

namespace Ambrosia.Architecture.Tests;

/// <summary>The files of the repository, as a reader sees them: what builds and tests leave behind is not among them.</summary>
internal static class Repository
{
    private static readonly string[] s_skipped = ["bin", "obj", "artifacts", "node_modules", ".git", "TestResults"];

    public static string Root { get; } = FindRoot();

    /// <summary>Paths of all files below a folder, relative to the root, with forward slashes.</summary>
    public static IEnumerable<string> Files(string folder, string pattern = "*") =>
        Directory.Exists(PathOf(folder)) ? FilesBelow(PathOf(folder), pattern).Select(Relative) : [];

    public static string PathOf(string relative) => Path.Combine(Root, relative);

    public static string Text(string relative) => File.ReadAllText(PathOf(relative));

    private static string Relative(string path) => Path.GetRelativePath(Root, path).Replace('\\', '/');

    private static IEnumerable<string> FilesBelow(string folder, string pattern)
    {
        foreach (string file in Directory.EnumerateFiles(folder, pattern).Order(StringComparer.Ordinal))
        {
            yield return file;
        }

        foreach (string below in Directory.EnumerateDirectories(folder).Order(StringComparer.Ordinal))
        {
            if (s_skipped.Contains(Path.GetFileName(below)))
            {
                continue;
            }

            foreach (string file in FilesBelow(below, pattern))
            {
                yield return file;
            }
        }
    }

    private static string FindRoot()
    {
        for (DirectoryInfo? folder = new(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "ambrosia.sln")))
            {
                return folder.FullName;
            }
        }

        throw new UnreachableException("ambrosia.sln is above every build output of this repository.");
    }
}
