using System.Reflection;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;

namespace Ambrosia.Cli.Clients;

/// <summary>A package for npm: ES modules with declarations, without dependencies.</summary>
internal static partial class NpmPackage
{
    /// <summary>The version of a package that has none yet.</summary>
    public const string FirstVersion = "0.1.0";

    private const string Runtime = "runtime/";
    private const string Mark = "ambrosia";
    private const string ReadmeMark = "Made by `ambrosia client typescript`";
    private static readonly JsonSerializerOptions s_json = new()
        { WriteIndented = true, Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Whether npm takes this as a name.</summary>
    public static bool IsName(string name) => name.Length <= 214 && Name().IsMatch(name);

    /// <summary>Whether npm takes this as a version.</summary>
    public static bool IsVersion(string version) => version.Length <= 100 && Version().IsMatch(version);

    /// <summary>The name of a package in a folder: that of the folder, or, if npm takes no such name, <c>shop-client</c>.</summary>
    public static string NameFor(string folder, TypeScriptModel model) =>
        Path.GetFileName(Path.TrimEndingDirectorySeparator(Path.GetFullPath(folder))) is var last && IsName(last) ? last
        : Words().Replace(model.Interface, "$1-$2").ToLowerInvariant().TrimStart('_') is { Length: > 0 } name ? $"{name}-client" : "client";

    /// <summary>Its files, by their path.</summary>
    /// <param name="model">What it calls.</param>
    /// <param name="name">Its name.</param>
    /// <param name="version">Its version.</param>
    /// <param name="before">The manifest that it has: what somebody has added there stays. Null for none.</param>
    public static SortedDictionary<string, string> Files(TypeScriptModel model, string name, string version, string? before = null)
    {
        var files = new SortedDictionary<string, string>(StringComparer.Ordinal)
        {
            ["package.json"] = Manifest(model, name, version, before),
            ["README.md"] = Readme(model, name),
            ["index.js"] = JavaScriptModule.Of(model),
            ["index.d.ts"] = TypeScriptDeclarations.Of(model),
        };
        Assembly assembly = typeof(NpmPackage).Assembly;
        foreach (string resource in assembly.GetManifestResourceNames()
            .Where(static each => each.StartsWith(Runtime, StringComparison.Ordinal)))
        {
            using var reader = new StreamReader(assembly.GetManifestResourceStream(resource)!);
            files[resource] = reader.ReadToEnd();
        }

        return files;
    }

    /// <summary>Name and version that a package in a folder has; null if there is none that was made here.</summary>
    public static (string? Name, string? Version)? Made(string manifest)
    {
        try
        {
            return JsonNode.Parse(manifest) is JsonObject found && found.ContainsKey(Mark)
                ? (Text(found["name"]), Text(found["version"])) : null;
        }
        catch (JsonException)
        {
            return null;
        }
    }

    /// <summary>Whether a text is one that was made here, of any version.</summary>
    public static bool IsMadeReadme(string text) => text.Contains(ReadmeMark, StringComparison.Ordinal);

    private static string? Text(JsonNode? node) => node is JsonValue value && value.TryGetValue(out string? text) ? text : null;

    private static string Manifest(TypeScriptModel model, string name, string version, string? before)
    {
        JsonObject manifest = Manifest(model, name, version);
        foreach ((string member, JsonNode? value) in before is null ? [] : JsonNode.Parse(before)!.AsObject())
        {
            if (!manifest.ContainsKey(member))
            {
                manifest[member] = value?.DeepClone();
            }
        }

        return manifest.ToJsonString(s_json) + "\n";
    }

    private static JsonObject Manifest(TypeScriptModel model, string name, string version) => new()
    {
        ["name"] = name,
        ["version"] = version,
        ["description"] = $"Calls {model.Title}, each once, whatever is killed.",
        ["type"] = "module",
        ["exports"] = new JsonObject { ["."] = new JsonObject { ["types"] = "./index.d.ts", ["default"] = "./index.js" } },
        ["main"] = "./index.js",
        ["types"] = "./index.d.ts",
        ["files"] = new JsonArray("index.js", "index.d.ts", "runtime"),
        ["sideEffects"] = false,
        ["engines"] = new JsonObject { ["node"] = ">=20" },
        [Mark] = new JsonObject { ["madeBy"] = "ambrosia client typescript", ["instance"] = model.Contract.Instance },
    };

    private static string Readme(TypeScriptModel model, string name)
    {
        TypeScriptMethod method = model.Methods[0];
        string access = TypeScriptNames.Member(method.Name) == method.Name ? $".{method.Name}"
            : $"[{TypeScriptNames.Quoted(method.Name)}]";
        string needed = string.Join(", ", method.Overloads[0].Overload.Parameters.Where(static each => each.IsNeeded)
            .Select(static each => $"{TypeScriptNames.Member(each.Name)}: ..."));
        return $$"""
            # {{name}}

            Calls {{model.Title}}. {{ReadmeMark}}: make it anew instead of changing it.

            ```js
            import { connect } from "{{name}}";

            const client = connect("http://127.0.0.1:8080");
            const answer = await client{{access}}({{(needed.Length == 0 ? "" : $"{{ {needed} }}")}});
            ```

            A call is sent until there is an answer, and runs once. `index.d.ts` has all methods and options.

            """;
    }

    [GeneratedRegex(@"^(@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*$", RegexOptions.CultureInvariant)]
    private static partial Regex Name();

    [GeneratedRegex(@"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?$", RegexOptions.CultureInvariant)]
    private static partial Regex Version();

    [GeneratedRegex("([a-z0-9])([A-Z])", RegexOptions.CultureInvariant)]
    private static partial Regex Words();
}
