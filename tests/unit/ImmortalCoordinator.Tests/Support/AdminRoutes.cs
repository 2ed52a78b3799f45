using System.Text.RegularExpressions;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>The routes of the admin address, read from the sources of its endpoints: a route that is added is among them by
/// itself.</summary>
public static partial class AdminRoutes
{
    /// <summary>What the sources of the endpoints spell as a path.</summary>
    public static string[] All { get; } =
    [
        .. Paths("Admin", AdminPath()).Concat(Paths("Page", PagePath()).Select(static path => path[0] == '/' ? path : "/page/" + path))
        .Distinct(),
    ];

    /// <summary>Requests to every route; below those that go on with a name, some names. <c>POST /drain</c>, which ends the instance, is
    /// left out.</summary>
    public static IEnumerable<(string Method, string Path)> Requests()
    {
        foreach (string path in All.SelectMany(Concrete).Distinct())
        {
            foreach (string method in (string[])["GET", "HEAD", "POST", "PUT"])
            {
                if (method != "POST" || !path.StartsWith("/drain", StringComparison.Ordinal))
                {
                    yield return (method, path);
                }
            }
        }
    }

    private static IEnumerable<string> Concrete(string route) => route switch
    {
        _ when !route.EndsWith('/') => [route, route + "?hash", route + "?p=1:0&log=bank"],
        "/page/" => [route, route + "main.js"],
        _ => [route, route + "X?wait=1m", route + "1:0", route + "1:0/quarantine", route + "1:0/redrive", route + "1:0/drop"],
    };

    private static IEnumerable<string> Paths(string folder, Regex pattern) =>
        Directory.GetFiles(Path.Combine(Repository.Root, "src/CoordinatorHost", folder), "*Endpoints.cs")
            .SelectMany(file => pattern.Matches(File.ReadAllText(file)).Select(static match => match.Groups[1].Value));

    [GeneratedRegex("\"(/[a-z/]*)\"")]
    private static partial Regex AdminPath();

    [GeneratedRegex("\"(/page/|api/[a-z]+)\"")]
    private static partial Regex PagePath();
}
