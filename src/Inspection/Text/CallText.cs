using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.Inspection.Text;

/// <summary>Calls and replies as people read them: <c>fork Deposit(account: "alice", amount: 5)</c>.</summary>
public static class CallText
{
    private const int Longest = 400;
    private static readonly JsonWriterOptions s_plain = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };
    private static readonly JsonWriterOptions s_indented = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, Indented = true };

    /// <summary>What an RPC is.</summary>
    public static MessageKind KindOf(in RpcHeader rpc) => rpc.Form switch
    {
        RpcForm.Value or RpcForm.Void => MessageKind.Reply,
        RpcForm.Exception => MessageKind.Exception,
        _ => rpc.Kind switch
        {
            RpcKind.Async => MessageKind.Call,
            RpcKind.Fork => MessageKind.Fork,
            _ => rpc.MethodId == ReservedMethods.TimerFire && !ReservedMethods.IsPost(rpc.MethodId, rpc.Body) ? MessageKind.Timer
                : MessageKind.Impulse,
        },
    };

    /// <summary>Kind, method and arguments.</summary>
    public static string Call(MessageKind kind, int methodId, ReadOnlySpan<byte> body, MethodNames names)
    {
        ArgumentNullException.ThrowIfNull(names);
        string method = names.NameOf(methodId, body);
        return kind switch
        {
            MessageKind.Reply => body.IsEmpty ? $"reply of {method}" : $"reply of {method}: {Json(body)}",
            MessageKind.Exception => $"exception of {method}: {Exception(body)}",
            MessageKind.Timer => kind.Word(),
            _ => $"{kind.Word()} {method}({Arguments(methodId, body, names)})",
        };
    }

    /// <summary>What a message carries, in words on one line: arguments with their names, a value, an exception.</summary>
    public static string Content(MessageKind kind, int methodId, ReadOnlySpan<byte> body, MethodNames names)
    {
        ArgumentNullException.ThrowIfNull(names);
        return kind switch
        {
            MessageKind.Reply => Json(body),
            MessageKind.Exception => Exception(body),
            _ => Arguments(methodId, body, names),
        };
    }

    /// <summary>Arguments or a value as JSON on one line, cut when it is long.</summary>
    public static string Json(ReadOnlySpan<byte> body) => body.IsEmpty ? "" : Cut(Text(MessagePackText.ToJson(body)));

    /// <summary>Arguments or a value as JSON over several lines, not cut.</summary>
    public static string Indented(ReadOnlySpan<byte> body) => body.IsEmpty ? "" : Text(MessagePackText.ToJson(body), s_indented);

    private static string Arguments(int methodId, ReadOnlySpan<byte> body, MethodNames names) =>
        methodId == ReservedMethods.InitialMessage ? $"0x{Convert.ToHexString(body[..Math.Min(body.Length, Longest)])}"
            : methodId == ReservedMethods.EffectDone ? Effect(body)
            : methodId == ReservedMethods.ScheduleStep ? Step(body)
            : methodId == ReservedMethods.AwakeableDone ? Awakeable(body)
            : Arguments(body, names.ParametersOf(methodId));

    // Whose outcome it is, how it ended and what it gave.
    private static string Effect(ReadOnlySpan<byte> body)
    {
        try
        {
            var outcome = EffectOutcomeHead.Read(body, out ReadOnlySpan<byte> rest);
            string what = outcome.Form == RpcForm.Exception ? $"failed: {Exception(rest)}" : rest.IsEmpty ? "done" : Json(rest);
            return $"{outcome.Key}, {Counted.Of(outcome.Attempts, "attempt")}, {what}";
        }
        catch (ProtocolException)
        {
            return $"0x{Convert.ToHexString(body[..Math.Min(body.Length, Longest)])}";
        }
    }

    // Which schedule it is for, what it runs, and what comes next.
    private static string Step(ReadOnlySpan<byte> body)
    {
        try
        {
            ScheduleStep step = ScheduleStep.Read(body);
            string run = step.Run == 0 ? "" : $", runs {Time(step.Run)}";
            string leftOut = step.LeftOut == 0 ? "" : string.Create(CultureInfo.InvariantCulture, $", {step.LeftOut} left out");
            string next = step.Next == 0 ? $", {step.Trouble}" : step.Next == DateTime.MaxValue.Ticks ? ", never again"
                : $", next {Time(step.Next)}";
            return Cut($"{Text(JsonValue.Create(step.Name))}{run}{leftOut}{next}");
        }
        catch (ProtocolException)
        {
            return $"0x{Convert.ToHexString(body[..Math.Min(body.Length, Longest)])}";
        }
    }

    // Which one, and with what.
    private static string Awakeable(ReadOnlySpan<byte> body) =>
        !AwakeableCompletion.TryRead(body, out AwakeableCompletion done)
        ? $"0x{Convert.ToHexString(body[..Math.Min(body.Length, Longest)])}"
            : done.Form == AwakeableForm.Value ? Cut($"{done.Number}, {Json(done.Body.Span)}")
            : Cut($"{done.Number}, rejected: {Text(JsonValue.Create(done.Reason))}");

    private static string Time(long ticks) =>
        new DateTime(ticks, DateTimeKind.Utc).ToString("yyyy-MM-dd HH:mm:ss'Z'", CultureInfo.InvariantCulture);

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

    private static string Text(JsonNode? value) => Text(value, s_plain);

    private static string Text(JsonNode? value, JsonWriterOptions options)
    {
        if (value is null)
        {
            return "null";
        }

        var bytes = new System.Buffers.ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(bytes, options))
        {
            value.WriteTo(json);
        }

        return System.Text.Encoding.UTF8.GetString(bytes.WrittenSpan);
    }

    private static string Cut(string text) => text.Length > Longest ? text[..(Longest - 3)] + "..." : text;
}
