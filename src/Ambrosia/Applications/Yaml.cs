using System.Text;

namespace Ambrosia.Cli.Applications;

/// <summary>Texts for YAML files.</summary>
internal static class Yaml
{
    /// <summary>One text, in quotation marks.</summary>
    public static string Text(string text)
    {
        var quoted = new StringBuilder("\"");
        foreach (Rune sign in text.EnumerateRunes())
        {
            _ = sign.Value switch
            {
                '"' or '\\' => quoted.Append('\\').Append(sign),
                '\n' => quoted.Append("\\n"),
                '\r' => quoted.Append("\\r"),
                '\t' => quoted.Append("\\t"),
                // Not printable, or an end of the line to some.
                < 0x20 or (>= 0x7f and < 0xa0) or 0x2028 or 0x2029 or 0xfeff or 0xfffe or 0xffff =>
                    quoted.Append("\\u").Append(sign.Value.ToString("x4", null)),
                _ => quoted.Append(sign),
            };
        }

        return quoted.Append('"').ToString();
    }

    /// <summary>A list of texts in one line.</summary>
    public static string List(IEnumerable<string> texts) => $"[{string.Join(", ", texts.Select(Text))}]";

    /// <summary>Lines without empty ends, each closed.</summary>
    public static string File(IEnumerable<string> lines) => string.Concat(lines.Select(static line => line.TrimEnd() + "\n"));
}
