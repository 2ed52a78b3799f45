using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Ambrosia.Bench;

/// <summary>One line of output.</summary>
internal static class Figure
{
    private static readonly JsonSerializerOptions s_options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Prints the median as the value, with the least and the most, and what the baseline did in the same run.</summary>
    /// <param name="name">What was measured.</param>
    /// <param name="unit">Of all values.</param>
    /// <param name="values">The repetitions.</param>
    /// <param name="baselineName">What it is compared with; null if there is nothing to compare.</param>
    /// <param name="baseline">Repetitions of the baseline.</param>
    /// <param name="more">Further members of the line.</param>
    public static void Print(string name, string unit, Spread values, string? baselineName = null, Spread? baseline = null,
        params (string Name, JsonNode? Value)[] more)
    {
        var line = new JsonObject
        {
            ["name"] = name,
            ["unit"] = unit,
            ["value"] = Numbers.Short(values.Median),
            ["min"] = Numbers.Short(values.Min),
            ["max"] = Numbers.Short(values.Max),
            ["baselineName"] = baselineName,
            ["baseline"] = baseline is { } known ? Numbers.Short(known.Median) : null,
        };
        if (baseline is { } compared)
        {
            line["baselineMin"] = Numbers.Short(compared.Min);
            line["baselineMax"] = Numbers.Short(compared.Max);
            line["ratio"] = Numbers.Short(values.Median / compared.Median);
        }

        foreach ((string key, JsonNode? value) in more)
        {
            line[key] = value;
        }

        Console.Out.WriteLine(line.ToJsonString(s_options));
    }
}
