using System.Text.Json;
using Ambrosia.Cli.Commands;
using Ambrosia.CoordinatorHost.Options;

namespace Ambrosia.Cli.Applications;

/// <summary>A value of a JSON file, and where it stands: what is wrong with it is said with the place.</summary>
/// <param name="file">The file.</param>
/// <param name="path">Names from the outside in, with dots between; "" for all of it.</param>
/// <param name="value">What stands there.</param>
internal sealed class JsonPlace(string file, string path, JsonElement value)
{
    private const int MostItems = 1000;

    /// <summary>Its own name.</summary>
    public string Name { get; private init; } = "";

    /// <summary>The failure for what stands here.</summary>
    public CommandException Wrong(string sentence) => new(CommandExit.Usage, $"{file}: {(path.Length == 0 ? "it" : path)} {sentence}");

    /// <summary>Refuses every other name in this object, and a name that stands twice.</summary>
    public void Allow(params string[] names)
    {
        var seen = new HashSet<string>(StringComparer.Ordinal);
        foreach (JsonPlace child in Children())
        {
            if (!names.Contains(child.Name))
            {
                string? near = NearestName.Of(child.Name, names);
                string advice = near is null ? $"There are: {string.Join(", ", names)}." : $"Did you mean \"{near}\"?";
                throw child.Wrong($"is no setting. {advice}");
            }

            if (!seen.Add(child.Name))
            {
                throw child.Wrong("stands there twice.");
            }
        }
    }

    /// <summary>All values of this object.</summary>
    public IEnumerable<JsonPlace> Children()
    {
        if (value.ValueKind != JsonValueKind.Object)
        {
            throw Wrong($"is {Kind(value)}; write an object: {{ ... }}.");
        }

        return value.EnumerateObject().Take(MostItems + 1).Select((property, i) => i < MostItems
            ? At(Decoded(() => property.Name), property.Value)
            : throw Wrong($"has more than {MostItems} entries."));
    }

    /// <summary>The value of this name; null if there is none.</summary>
    public JsonPlace? Find(string name) => value.TryGetProperty(name, out JsonElement found) ? At(name, found) : null;

    /// <summary>The value of this name, which must be there.</summary>
    public JsonPlace Need(string name) => Find(name) ?? throw Wrong($"needs \"{name}\".");

    /// <summary>This text.</summary>
    public string Text() => value.ValueKind == JsonValueKind.String ? Clean(Decoded(value.GetString)!)
        : throw Wrong($"is {Kind(value)}; write a text: \"...\".");

    /// <summary>These texts.</summary>
    public IReadOnlyList<string> Texts() => [.. Items().Select(static item => item.Text())];

    /// <summary>This whole number.</summary>
    public int Number(int least, int most) => value.ValueKind == JsonValueKind.Number && value.TryGetInt32(out int number)
        && number >= least && number <= most ? number : throw Wrong($"is {Kind(value)}; write a whole number from {least} to {most}.");

    /// <summary>These whole numbers.</summary>
    public IReadOnlyList<int> Numbers(int least, int most) => [.. Items().Select(item => item.Number(least, most))];

    private JsonPlace At(string name, JsonElement found) => new(file, path.Length == 0 ? name : $"{path}.{name}", found) { Name = name };

    private IEnumerable<JsonPlace> Items()
    {
        if (value.ValueKind != JsonValueKind.Array)
        {
            throw Wrong($"is {Kind(value)}; write a list: [ ... ].");
        }

        return value.EnumerateArray().Select((item, i) => new JsonPlace(file, $"{path}[{i}]", item));
    }

    // JSON can write half of a character, such as "\ud83d" alone.
    private T Decoded<T>(Func<T> read)
    {
        try
        {
            return read();
        }
        catch (InvalidOperationException)
        {
            throw Wrong("holds half a character: write both halves, as in \"\\ud83d\\ude00\".");
        }
    }

    // No system passes it on.
    private string Clean(string text) => text.Contains('\0') ? throw Wrong("holds a zero character.") : text;

    private static string Kind(JsonElement element) => element.ValueKind switch
    {
        JsonValueKind.Object => "an object",
        JsonValueKind.Array => "a list",
        JsonValueKind.String => $"the text {element.GetRawText()}",
        JsonValueKind.Number => $"the number {element.GetRawText()}",
        JsonValueKind.Null => "null",
        _ => element.GetRawText(),
    };
}
