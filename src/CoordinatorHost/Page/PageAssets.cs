using System.Reflection;

namespace Ambrosia.CoordinatorHost.Page;

/// <summary>The page's own files, embedded in the assembly: nothing is loaded from elsewhere.</summary>
internal static class PageAssets
{
    private const string Prefix = "page/";
    private static readonly Dictionary<string, byte[]> s_files = Load();

    /// <summary>A file's bytes and media type; false when there is none of this name.</summary>
    public static bool TryGet(string name, out byte[] bytes, out string type)
    {
        type = Path.GetExtension(name) switch
        {
            ".html" => "text/html; charset=utf-8",
            ".css" => "text/css; charset=utf-8",
            ".js" => "text/javascript; charset=utf-8",
            _ => "image/svg+xml",
        };
        return s_files.TryGetValue(name, out bytes!);
    }

    private static Dictionary<string, byte[]> Load()
    {
        var files = new Dictionary<string, byte[]>(StringComparer.Ordinal);
        Assembly assembly = typeof(PageAssets).Assembly;
        foreach (string resource in assembly.GetManifestResourceNames()
            .Where(static name => name.StartsWith(Prefix, StringComparison.Ordinal)))
        {
            using Stream stream = assembly.GetManifestResourceStream(resource)!;
            byte[] bytes = new byte[stream.Length];
            stream.ReadExactly(bytes);
            files.Add(resource[Prefix.Length..], bytes);
        }

        return files;
    }
}
