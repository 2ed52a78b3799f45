using System.Reflection;
using System.Text.Json;
using Ambrosia.Runtime;

namespace Ambrosia.Builds;

/// <summary>
/// Which assemblies are the application's: that of the immortal and all that it refers to, without .NET's, this system's and what came as a
/// package. Those change by their version, and a change of one is no change of the application's code.
/// </summary>
internal static class OwnAssemblies
{
    private static readonly Lazy<HashSet<string>> s_packaged = new(ReadPackaged);

    /// <summary>The application's assemblies, by name.</summary>
    public static IReadOnlyList<Assembly> Of(Type immortal) =>
    [
        .. GraphOptions.For(immortal).Assemblies
            .Where(assembly => assembly == immortal.Assembly || !(IsOurs(assembly) || s_packaged.Value.Contains(NameOf(assembly))))
            .OrderBy(NameOf, StringComparer.Ordinal),
    ];

    /// <summary>The assemblies of packages that the application refers to, and their versions.</summary>
    public static IReadOnlyDictionary<string, string> PackagesOf(Type immortal) => GraphOptions.For(immortal).Assemblies
        .Where(assembly => assembly != immortal.Assembly && !IsOurs(assembly) && s_packaged.Value.Contains(NameOf(assembly)))
        .ToDictionary(NameOf, static assembly => assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion
            ?? assembly.GetName().Version?.ToString() ?? "");

    private static string NameOf(Assembly assembly) => assembly.GetName().Name ?? "";

    // By a mark, as a host has the coordinator in its process: a lambda there could be what any delegate of the application calls.
    private static bool IsOurs(Assembly assembly) =>
        assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Any(static mark => mark.Key == "AmbrosiaPart");

    // What a build wrote down beside the app: which of its assemblies came from packages.
    private static HashSet<string> ReadPackaged()
    {
        var found = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        string files = AppContext.GetData("APP_CONTEXT_DEPS_FILES") as string ?? "";
        foreach (string file in files.Split(';', StringSplitOptions.RemoveEmptyEntries).Where(File.Exists))
        {
            try
            {
                using JsonDocument dependencies = JsonDocument.Parse(File.ReadAllBytes(file));
                Read(dependencies.RootElement, found);
            }
            catch (Exception error) when (error is IOException or UnauthorizedAccessException or JsonException)
            {
                // Then all is taken for the application's own: more than necessary is compared.
            }
        }

        return found;
    }

    private static void Read(JsonElement dependencies, HashSet<string> found)
    {
        if (!dependencies.TryGetProperty("libraries", out JsonElement libraries)
            || !dependencies.TryGetProperty("targets", out JsonElement targets))
        {
            return;
        }

        HashSet<string> packages =
        [
            .. libraries.EnumerateObject()
                .Where(static library => library.Value.TryGetProperty("type", out JsonElement type) && type.ValueEquals("package"))
                .Select(static library => library.Name),
        ];
        IEnumerable<JsonProperty> all = targets.EnumerateObject().SelectMany(static target => target.Value.EnumerateObject());
        foreach (JsonProperty library in all.Where(library => packages.Contains(library.Name)))
        {
            if (library.Value.TryGetProperty("runtime", out JsonElement assemblies))
            {
                found.UnionWith(assemblies.EnumerateObject().Select(static path => Path.GetFileNameWithoutExtension(path.Name)));
            }
        }
    }
}
