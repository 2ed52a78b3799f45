using System.Globalization;
using System.Text.Json;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.TimeTravel.Debugging;

/// <summary>One place at which two states differ.</summary>
/// <param name="Path">Where, as <c>state.accounts.alice.balance</c>.</param>
/// <param name="Before">JSON of what was there; null if nothing was.</param>
/// <param name="After">JSON of what is there; null if nothing is.</param>
public sealed record StateDifference(string Path, string? Before, string? After)
{
    private static readonly string[] s_roots = ["state", "suspended", "timers"];

    /// <summary>Compares two states as the binding tells them. Numbers of objects do not count; what a reference refers to does.</summary>
    public static IReadOnlyList<StateDifference> Between(JsonElement before, JsonElement after)
    {
        var found = new List<StateDifference>();
        var names = (Before: PathsOf(before), After: PathsOf(after));
        foreach (string root in s_roots)
        {
            if (before.TryGetProperty(root, out JsonElement old) && after.TryGetProperty(root, out JsonElement now))
            {
                Compare(root, old, now, names, found);
            }
        }

        return found;
    }

    /// <summary>As one line: <c>state.accounts.alice: 5 → 7</c>.</summary>
    public override string ToString() => (Before, After) switch
    {
        (null, _) => $"{Path}: + {After}",
        (_, null) => $"{Path}: - {Before}",
        _ => $"{Path}: {Before} → {After}",
    };

    private static void Compare(string path, JsonElement old, JsonElement now,
        in (Dictionary<int, string> Before, Dictionary<int, string> After) names, List<StateDifference> found)
    {
        if (old.ValueKind == JsonValueKind.Object && now.ValueKind == JsonValueKind.Object && !IsReference(old, out _)
            && !IsReference(now, out _))
        {
            CompareMembers(path, old, now, names, found);
        }
        else if (old.ValueKind == JsonValueKind.Array && now.ValueKind == JsonValueKind.Array)
        {
            int most = Math.Max(old.GetArrayLength(), now.GetArrayLength());
            for (int i = 0; i < most; i++)
            {
                CompareOne(
                    string.Create(CultureInfo.InvariantCulture, $"{path}[{i}]"),
                    i < old.GetArrayLength() ? old[i] : null, i < now.GetArrayLength() ? now[i] : null, names, found);
            }
        }
        else if (Text(old, names.Before) is var before && Text(now, names.After) is var after && before != after)
        {
            found.Add(new StateDifference(path, before, after));
        }
    }

    private static void CompareMembers(string path, JsonElement old, JsonElement now,
        in (Dictionary<int, string> Before, Dictionary<int, string> After) names, List<StateDifference> found)
    {
        foreach (JsonProperty member in old.EnumerateObject())
        {
            if (member.Name != "$id")
            {
                CompareOne(PathTo(path, member.Name), member.Value, now.TryGetProperty(member.Name, out JsonElement other) ? other
                    : null, names, found);
            }
        }

        foreach (JsonProperty member in now.EnumerateObject())
        {
            if (member.Name != "$id" && !old.TryGetProperty(member.Name, out _))
            {
                CompareOne(PathTo(path, member.Name), null, member.Value, names, found);
            }
        }
    }

    private static void CompareOne(string path, JsonElement? old, JsonElement? now,
        in (Dictionary<int, string> Before, Dictionary<int, string> After) names, List<StateDifference> found)
    {
        if (old is { } before && now is { } after)
        {
            Compare(path, before, after, names, found);
        }
        else
        {
            found.Add(new StateDifference(path, old is { } gone ? Text(gone, names.Before) : null, now is { } come ? Text(come, names.After)
                : null));
        }
    }

    // Containers of items and entries are how collections are shown, not something that people wrote.
    private static string PathTo(string path, string name) => name is "items" or "entries" ? path : $"{path}.{name}";

    private static bool IsReference(JsonElement value, out int id)
    {
        id = 0;
        return value.ValueKind == JsonValueKind.Object && value.TryGetProperty("$same", out JsonElement same) && same.TryGetInt32(out id);
    }

    private static string Text(JsonElement value, Dictionary<int, string> names) =>
        IsReference(value, out int id) ? $"→ {names.GetValueOrDefault(id, "?")}" : StateText.Short(value);

    private static Dictionary<int, string> PathsOf(JsonElement state)
    {
        var paths = new Dictionary<int, string>();
        foreach (string root in s_roots)
        {
            if (state.TryGetProperty(root, out JsonElement value))
            {
                Collect(root, value, paths);
            }
        }

        return paths;
    }

    private static void Collect(string path, JsonElement value, Dictionary<int, string> paths)
    {
        if (value.ValueKind == JsonValueKind.Object)
        {
            if (value.TryGetProperty("$id", out JsonElement id) && id.TryGetInt32(out int number))
            {
                paths[number] = path;
            }

            foreach (JsonProperty member in value.EnumerateObject())
            {
                Collect(PathTo(path, member.Name), member.Value, paths);
            }
        }
        else if (value.ValueKind == JsonValueKind.Array)
        {
            int index = 0;
            foreach (JsonElement item in value.EnumerateArray())
            {
                Collect(string.Create(CultureInfo.InvariantCulture, $"{path}[{index++}]"), item, paths);
            }
        }
    }
}
