using System.Diagnostics;
using System.Xml.Linq;

namespace Ambrosia.Packages.Tests.Support;

/// <summary>The repository that is packed.</summary>
internal static class Repository
{
    public static string Root { get; } = FindRoot();

    /// <summary>The one place of the version.</summary>
    public static string Version { get; } = XDocument.Load(PathOf("Directory.Build.props")).Descendants("Version").Single().Value;

    public static string PathOf(string relative) => Path.Combine(Root, relative);

    public static string Text(string relative) => File.ReadAllText(PathOf(relative));

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
