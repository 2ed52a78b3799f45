using System.Text.Json.Nodes;
using Ambrosia.Inspection.Text;
using Ambrosia.Primitives;
using Ambrosia.TimeTravel.Debugging;
using Ambrosia.TimeTravel.Link;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.TimeTravel.Comparing;

/// <summary>Compares what two versions sent for one message. Bytes decide; only when they differ is looked closer.</summary>
internal static class OutputComparer
{
    /// <summary>Whether a turn sent the same bytes to the same destinations in the same order.</summary>
    public static bool AreEqual(TurnOutputs left, TurnOutputs right, int turn)
    {
        ReadOnlySpan<OutputRun> expected = left.RunsOf(turn);
        ReadOnlySpan<OutputRun> actual = right.RunsOf(turn);
        if (expected.Length != actual.Length)
        {
            return false;
        }

        for (int i = 0; i < expected.Length; i++)
        {
            if (expected[i].Length != actual[i].Length || expected[i].Destination != actual[i].Destination
                || !left.BytesOf(expected[i]).SequenceEqual(right.BytesOf(actual[i])))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>The messages that a turn sent.</summary>
    public static List<SentMessage> Messages(TurnOutputs outputs, int turn)
    {
        var messages = new List<SentMessage>();
        foreach (OutputRun run in outputs.RunsOf(turn))
        {
            SentMessage.Add(messages, run.Destination, outputs.BytesOf(run));
        }

        return messages;
    }

    /// <summary>In what two lists of messages differ, and the difference in words; null when only stack traces do.</summary>
    public static (DifferenceKind Kind, string Text)? Judge(IReadOnlyList<SentMessage> expected, IReadOnlyList<SentMessage> actual,
        MethodNames names)
    {
        if (expected.Count != actual.Count)
        {
            return (DifferenceKind.Number, $"sent {Counted.Of(actual.Count, "message")} instead of {expected.Count}");
        }

        if (First(expected, actual, static (left, right) => left.Destination == right.Destination) is { } place)
        {
            return (DifferenceKind.Destination,
                $"message {place + 1} went to {actual[place].Destination} instead of {expected[place].Destination}");
        }

        if (First(expected, actual, static (left, right) => left.MethodId == right.MethodId && left.Kind == right.Kind) is { } other)
        {
            return (DifferenceKind.Method,
                $"message {other + 1} is {Name(actual[other], names)} instead of {Name(expected[other], names)}");
        }

        return First(expected, actual, AreEqual) is { } content
            ? (DifferenceKind.Content, $"message {content + 1}, {Name(actual[content], names)}, has other contents")
            : null;
    }

    private static int? First(IReadOnlyList<SentMessage> expected, IReadOnlyList<SentMessage> actual,
        Func<SentMessage, SentMessage, bool> same)
    {
        for (int i = 0; i < expected.Count; i++)
        {
            if (!same(expected[i], actual[i]))
            {
                return i;
            }
        }

        return null;
    }

    private static string Name(SentMessage message, MethodNames names) => $"{message.Kind.Word()} {names.NameOf(message.MethodId)}";

    // The same exception thrown in another line is the same exception.
    private static bool AreEqual(SentMessage left, SentMessage right) => left.Body.Span.SequenceEqual(right.Body.Span)
        || (left.Kind == MessageKind.Exception
            && WithoutTraces(MessagePackText.ToJson(left.Body.Span)) == WithoutTraces(MessagePackText.ToJson(right.Body.Span)));

    private static string WithoutTraces(JsonNode? exception) => exception is JsonArray { Count: 4 } parts
        ? $"{parts[0]?.ToJsonString()} {parts[1]?.ToJsonString()} {WithoutTraces(parts[3])}"
        : exception?.ToJsonString() ?? "";
}
