using System.Buffers;
using System.Text;
using System.Text.Json;

namespace Ambrosia.TimeTravel.Text;

/// <summary>States as people read them: what only machines need (numbers of objects, wrappers of collections) is left away.</summary>
public static class StateText
{
    private static readonly JsonWriterOptions s_indented = new()
        { Indented = true, Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping };
    private static readonly JsonWriterOptions s_short = new()
        { Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Indented, over several lines.</summary>
    public static string Long(JsonElement value) => Write(value, s_indented);

    /// <summary>On one line, cut when it is long.</summary>
    public static string Short(JsonElement value)
    {
        string text = Write(value, s_short);
        return text.Length > 200 ? text[..197] + "..." : text;
    }

    /// <summary>The value at a path such as <c>accounts.alice</c> or <c>state.orders[3]</c>; null when there is none.</summary>
    public static JsonElement? Find(JsonElement root, string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        JsonElement? value = root;
        foreach (string name in path.Replace("[", ".", StringComparison.Ordinal).Replace("]", "", StringComparison.Ordinal)
            .Split('.', StringSplitOptions.RemoveEmptyEntries))
        {
            value = value is { } known ? Member(known, name) : null;
        }

        return value;
    }

    private static JsonElement? Member(JsonElement value, string name)
    {
        if (value.ValueKind == JsonValueKind.Object)
        {
            if (value.TryGetProperty(name, out JsonElement member))
            {
                return member;
            }

            // state.accounts.alice leads through the wrapper of the collection, state.Count to a field in any case.
            foreach (string wrapper in new[] { "entries", "items" })
            {
                if (value.TryGetProperty(wrapper, out JsonElement wrapped) && Member(wrapped, name) is { } found)
                {
                    return found;
                }
            }

            return value.EnumerateObject()
                .Where(property => string.Equals(property.Name.TrimStart('_'), name.TrimStart('_'), StringComparison.OrdinalIgnoreCase))
                .Select(static property => (JsonElement?)property.Value).FirstOrDefault();
        }

        return value.ValueKind == JsonValueKind.Array && int.TryParse(name, out int index) && index >= 0 && index < value.GetArrayLength()
            ? value[index] : null;
    }

    private static string Write(JsonElement value, JsonWriterOptions options)
    {
        var bytes = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(bytes, options))
        {
            Write(json, value);
        }

        return Encoding.UTF8.GetString(bytes.WrittenSpan);
    }

    private static void Write(Utf8JsonWriter json, JsonElement value)
    {
        switch (value.ValueKind)
        {
            case JsonValueKind.Object when value.TryGetProperty("items", out JsonElement items) && value.TryGetProperty("$id", out _):
                Write(json, items);
                break;
            case JsonValueKind.Object when value.TryGetProperty("entries", out JsonElement entries) && value.TryGetProperty("$id", out _):
                Write(json, entries);
                break;
            case JsonValueKind.Object:
                json.WriteStartObject();
                foreach (JsonProperty member in value.EnumerateObject())
                {
                    if (member.Name is not "$id")
                    {
                        json.WritePropertyName(member.Name);
                        Write(json, member.Value);
                    }
                }

                json.WriteEndObject();
                break;
            case JsonValueKind.Array:
                json.WriteStartArray();
                foreach (JsonElement item in value.EnumerateArray())
                {
                    Write(json, item);
                }

                json.WriteEndArray();
                break;
            default:
                value.WriteTo(json);
                break;
        }
    }
}
