using System.Text;
using System.Text.Json;
using Ambrosia.CoordinatorHost.Shapes;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// The exception of a handler, as its caller outside sees it: no stack trace, which tells of the code and differs from run to run.
/// </summary>
/// <param name="Type">Name of its type.</param>
/// <param name="Message">Its message.</param>
/// <param name="Data">What it declares, as JSON; null for nothing.</param>
internal sealed record HandlerException(string Type, string Message, string? Data)
{
    private static readonly JsonDocumentOptions s_options = new() { MaxDepth = JsonDecoder.MaxDepth + 1 }; // No answer fails here.

    /// <summary>Reads that of a reply: an array of type, message, stack trace, inner one, and data (protocol.md 4.2).</summary>
    public static HandlerException Read(ReadOnlySpan<byte> bytes)
    {
        using JsonDocument document = JsonDocument.Parse(JsonDecoder.Value(bytes, null), s_options);
        JsonElement fields = document.RootElement;
        string type = Text(fields, 0) ?? "Exception";
        return new HandlerException(type, Text(fields, 1) ?? "", Text(fields, 4) is { } data && IsJson(data) ? data : null);
    }

    /// <summary>Writes it as a member of a problem.</summary>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject("exception");
        json.WriteString("type", Type);
        json.WriteString("message", Message);
        if (Data is not null)
        {
            json.WritePropertyName("data");
            json.WriteRawValue(Data);
        }

        json.WriteEndObject();
    }

    private static string? Text(JsonElement fields, int at)
    {
        if (fields.ValueKind != JsonValueKind.Array || fields.GetArrayLength() <= at || fields[at].ValueKind != JsonValueKind.String)
        {
            return null;
        }

        try
        {
            return fields[at].GetString();
        }
        catch (InvalidOperationException)
        {
            return fields[at].GetRawText().Trim('"'); // It holds half a character, as a binding of another language wrote it.
        }
    }

    private static bool IsJson(string text)
    {
        try
        {
            var reader = new Utf8JsonReader(Encoding.UTF8.GetBytes(text));
            while (reader.Read())
            {
            }

            return true;
        }
        catch (JsonException)
        {
            return false;
        }
    }
}
