using System.Text.Json;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Hosting;

/// <summary>
/// One line that an embedded coordinator wrote: it is told to write JSON, and whatever else stands there comes from the system.
/// </summary>
/// <param name="Level">How severe it is.</param>
/// <param name="Text">What people read.</param>
internal readonly record struct CoordinatorLine(LogLevel Level, string Text)
{
    /// <summary>Reads a line of any kind.</summary>
    public static CoordinatorLine Read(string line)
    {
        if (line.StartsWith('{'))
        {
            try
            {
                using JsonDocument document = JsonDocument.Parse(line);
                if (document.RootElement.TryGetProperty("message", out JsonElement message)
                    && document.RootElement.TryGetProperty("level", out JsonElement named)
                    && Enum.TryParse(named.GetString(), ignoreCase: true, out LogLevel level))
                {
                    string text = message.GetString() ?? "";
                    return new CoordinatorLine(level, document.RootElement.TryGetProperty("error", out JsonElement error)
                        ? $"{text}: {error.GetString()}" : text);
                }
            }
            catch (Exception error) when (error is JsonException or InvalidOperationException)
            {
                // Part of something else: shown as it is.
            }
        }

        return new CoordinatorLine(LevelOf(line), line);
    }

    // An app may have asked for lines of text (--coordinator-arguments "--log-format text"); wrong options come as such lines, too.
    private static LogLevel LevelOf(string line) =>
        line.Contains("fatal: ", StringComparison.Ordinal) || line.StartsWith("IC-", StringComparison.Ordinal) ? LogLevel.Critical
        : line.Contains("error: ", StringComparison.Ordinal) ? LogLevel.Error
        : line.Contains("warning: ", StringComparison.Ordinal) ? LogLevel.Warning
        : LogLevel.Information;
}
