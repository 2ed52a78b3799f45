using System.Text.Json;
using System.Text.Json.Nodes;
using Ambrosia.TimeTravel.Debugging;
using Ambrosia.TimeTravel.Log;

namespace Ambrosia.TimeTravel.Text;

/// <summary>Messages as people read them: <c>17:3 teller → Deposit(account: "alice", amount: 5)</c>.</summary>
public static class MessageText
{
    private const int Longest = 400;
    private static readonly JsonSerializerOptions s_json = new() { Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Arguments or a value as JSON on one line, cut when it is long.</summary>
    public static string Json(ReadOnlySpan<byte> body) => body.IsEmpty ? "" : Cut(Text(MessagePackText.ToJson(body)));

    /// <summary>Where, when, from whom and what.</summary>
    public static string Line(LoggedMessage message, MethodNames names)
    {
        ArgumentNullException.ThrowIfNull(names);
        return $"{message.Position,-8} {message.Time:HH:mm:ss.fff}  {message.From} → {Call(message.Kind, message.MethodId, message.Body, names)}";
    }

    /// <summary>To whom and what.</summary>
    public static string Line(SentMessage message, MethodNames names)
    {
        ArgumentNullException.ThrowIfNull(message);
        return $"→ {message.Destination}: {Call(message.Kind, message.MethodId, message.Body.Span, names)}";
    }

    /// <summary>Kind, method and arguments.</summary>
    public static string Call(string kind, int methodId, ReadOnlySpan<byte> body, MethodNames names)
    {
        ArgumentNullException.ThrowIfNull(names);
        string method = names.NameOf(methodId);
        return kind switch
        {
            "reply" => body.IsEmpty ? $"reply of {method}" : $"reply of {method}: {Json(body)}",
            "exception" => $"exception of {method}: {Exception(body)}",
            "timer" => "timer",
            _ => $"{kind} {method}({Arguments(body, names.ParametersOf(methodId))})",
        };
    }

    private static string Arguments(ReadOnlySpan<byte> body, IReadOnlyList<string> names)
    {
        if (body.IsEmpty)
        {
            return "";
        }

        JsonNode? value = MessagePackText.ToJson(body);
        return Cut(value is JsonArray items
            ? string.Join(", ", items.Select((item, i) => i < names.Count ? $"{names[i]}: {Text(item)}" : Text(item)))
            : Text(value));
    }

    // [type, message, remote stack trace, inner]
    private static string Exception(ReadOnlySpan<byte> body) =>
        MessagePackText.ToJson(body) is JsonArray { Count: >= 2 } parts ? Cut($"{parts[0]}: {parts[1]}") : Json(body);

    private static string Text(JsonNode? value) => value?.ToJsonString(s_json) ?? "null";

    private static string Cut(string text) => text.Length > Longest ? text[..(Longest - 3)] + "..." : text;
}
