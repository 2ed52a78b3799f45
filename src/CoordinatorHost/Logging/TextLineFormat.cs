using System.Globalization;
using System.Text;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Logging;

/// <summary>For people: time, and what happened. Only what deserves attention says its severity.</summary>
public sealed class TextLineFormat : ILineFormat
{
    /// <inheritdoc/>
    public byte[] Format(in LogLine line)
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"{line.Time:HH:mm:ss}  ");
        text.Append(line.Level switch
        {
            LogLevel.Warning => "warning: ",
            LogLevel.Error => "error: ",
            LogLevel.Critical => "fatal: ",
            _ => "",
        });
        text.Append(line.Message);
        if (line.Exception is { } exception && !line.WithStackTrace)
        {
            text.Append(": ").Append(exception.Message);
        }

        string single = text.ToString().ReplaceLineEndings(" ");
        return Encoding.UTF8.GetBytes(line is { Exception: not null, WithStackTrace: true } ? $"{single}\n{line.Exception}\n"
            : single + "\n");
    }
}
