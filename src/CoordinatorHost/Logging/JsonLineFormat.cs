using System.Buffers;
using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Logging;

/// <summary>
/// For machines: one JSON object per line with time (UTC), level, id, event, category, message, and the values by name in <c>fields</c>.
/// </summary>
public sealed class JsonLineFormat : ILineFormat
{
    private const string TemplateField = "{OriginalFormat}";

    // Nothing here is ever put into a web page, so that quotes and umlauts may stay readable.
    private static readonly JsonWriterOptions s_options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <inheritdoc/>
    public byte[] Format(in LogLine line)
    {
        var buffer = new ArrayBufferWriter<byte>(256);
        using (var writer = new Utf8JsonWriter(buffer, s_options))
        {
            writer.WriteStartObject();
            writer.WriteString("time", line.Time.UtcDateTime.ToString("O", CultureInfo.InvariantCulture));
            writer.WriteString("level", line.Level.ToString().ToLowerInvariant());
            writer.WriteNumber("id", line.Event.Id);
            writer.WriteString("event", line.Event.Name);
            writer.WriteString("category", line.Category);
            writer.WriteString("message", line.Message);
            WriteFields(writer, line.Fields);
            if (line.Exception is { } exception)
            {
                writer.WriteString("error", line.WithStackTrace ? exception.ToString() : exception.Message);
            }

            writer.WriteEndObject();
        }

        buffer.Write("\n"u8);
        return buffer.WrittenSpan.ToArray();
    }

    private static void WriteFields(Utf8JsonWriter writer, IReadOnlyList<KeyValuePair<string, object?>> fields)
    {
        writer.WriteStartObject("fields");
        foreach ((string name, object? value) in fields)
        {
            switch (value)
            {
                case var _ when name == TemplateField:
                    break;
                case int or long or short or byte:
                    writer.WriteNumber(name, Convert.ToInt64(value, CultureInfo.InvariantCulture));
                    break;
                case uint or ulong:
                    writer.WriteNumber(name, Convert.ToUInt64(value, CultureInfo.InvariantCulture));
                    break;
                case double number when double.IsFinite(number):
                    writer.WriteNumber(name, number);
                    break;
                case bool truth:
                    writer.WriteBoolean(name, truth);
                    break;
                default:
                    writer.WriteString(name, Convert.ToString(value, CultureInfo.InvariantCulture));
                    break;
            }
        }

        writer.WriteEndObject();
    }
}
