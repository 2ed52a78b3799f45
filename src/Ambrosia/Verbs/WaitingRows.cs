using System.Globalization;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Primitives;

namespace Ambrosia.Cli.Verbs;

/// <summary>What an instance waits for, as rows of a table.</summary>
internal static class WaitingRows
{
    /// <summary>Most rows for calls, for awakeables and for timers. <c>--json</c> has more.</summary>
    public const int Most = 5;

    /// <summary>Describes it; null is a coordinator that does not say.</summary>
    public static IEnumerable<string[]> Of(WaitingStatus? waiting)
    {
        if (waiting is not { Told: true })
        {
            return [["waits for", waiting is { Reason.Length: > 0 } ? waiting.Reason : "this coordinator does not say"]];
        }

        string sum = $"{Counted.Of(waiting.Calls, "call")}, {Counted.Of(waiting.Awakeables, "awakeable")}, "
            + Counted.Of(waiting.Timers, "timer");
        return
        [
            ["waits for", waiting is { Calls: 0, Awakeables: 0, Timers: 0 } ? "nothing" : sum],
            .. waiting.OldestCalls.Take(Most).Select(static call => new[] { $"call {Text(call.Number)}", Describe(call) }),
            .. More(waiting.Calls, "call"),
            .. waiting.OldestAwakeables.Take(Most).Select(static each => new[] { $"awakeable {Text(each.Number)}", Describe(each) }),
            .. More(waiting.Awakeables, "awakeable"),
            .. waiting.OldestTimers.Take(Most).Select(static timer =>
                new[] { $"timer {Text(timer.Id)}", $"due {Time(timer.Due)}{By(timer.AwaitedBy)}" }),
            .. More(waiting.Timers, "timer"),
        ];
    }

    private static string Describe(WaitingCallStatus call) => call.Destination is { } to
        ? $"to {to}, {(call.Method.Length > 0 ? call.Method : $"method {Text(call.MethodId ?? 0)}")}{Since(call.Since, call.Message)}"
            + By(call.AwaitedBy)
        : $"made before the checkpoint that the app began from, so its destination is not known{By(call.AwaitedBy)}";

    private static string Describe(WaitingAwakeableStatus awakeable)
    {
        string deadline = awakeable.Deadline is { } end ? $"until {Time(end)}" : "no deadline";
        return $"{awakeable.Type}, {deadline}{Since(awakeable.Since, awakeable.Message)}{By(awakeable.AwaitedBy)}";
    }

    private static IEnumerable<string[]> More(long all, string what) => all > Most
        ? [["", $"and {Counted.Of(all - Most, $"later {what}")}"]] : [];

    private static string Since(DateTimeOffset? time, string message) => time is { } since ? $", since {Time(since)} ({message})" : "";

    private static string By(string awaitedBy) => awaitedBy.Length > 0 ? $", awaited by {awaitedBy}" : "";

    private static string Time(DateTimeOffset time) => time.UtcDateTime.ToString("yyyy-MM-dd HH:mm:ss'Z'", CultureInfo.InvariantCulture);

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);
}
