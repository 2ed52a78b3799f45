using System.Text.Encodings.Web;
using System.Text.Json;

namespace Ambrosia.Cli.Applications;

/// <summary>Texts for YAML files: as JSON writes them, which YAML reads alike.</summary>
internal static class Yaml
{
    private static readonly JsonSerializerOptions s_json = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>One text.</summary>
    public static string Text(string text) => JsonSerializer.Serialize(text, s_json);

    /// <summary>A list of texts in one line.</summary>
    public static string List(IEnumerable<string> texts) => $"[{string.Join(", ", texts.Select(Text))}]";

    /// <summary>Lines without empty ends, each closed.</summary>
    public static string File(IEnumerable<string> lines) => string.Concat(lines.Select(static line => line.TrimEnd() + "\n"));
}
