using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;

namespace Ambrosia.Telemetry;

/// <summary>
/// The meter <c>Ambrosia</c> of the binding. Names follow OpenTelemetry's conventions where these have one. Nothing is measured where
/// nobody listens, and nothing while messages are executed again.
/// </summary>
internal static class BindingMeter
{
    /// <summary>Name of the meter, by which it is listened to; of the source of spans, too.</summary>
    public const string Name = "Ambrosia";

    private static readonly Meter s_meter = new(Name, typeof(BindingMeter).Assembly.GetName().Version?.ToString(3));

    // Held weakly: whatever ends in the middle of something, such as the app of a test host, takes its leave from nobody.
    private static readonly ConditionalWeakTable<IPendingWork, object> s_acting = [];

    private static readonly Histogram<double> s_calls = s_meter.CreateHistogram<double>(
        "rpc.server.call.duration", "s", "Time from the beginning of a handler to its outcome, waits included.");

    private static readonly Histogram<double> s_recoveries = s_meter.CreateHistogram<double>(
        "ambrosia.recovery.duration", "s", "Time from the attachment of an app until it acts.");

    private static readonly Counter<long> s_replayed = s_meter.CreateCounter<long>(
        "ambrosia.recovery.messages", "{message}", "Messages that were executed again by recoveries that have ended.");

    private static readonly Counter<long> s_attempts = s_meter.CreateCounter<long>(
        "ambrosia.effect.attempts", "{attempt}", "Attempts to perform an effect that have ended.");

    static BindingMeter()
    {
        s_meter.CreateObservableUpDownCounter("ambrosia.calls.pending", static () => Observe(static each => each.PendingCalls), "{call}",
            "Calls to immortals whose replies are awaited.");
        s_meter.CreateObservableUpDownCounter("ambrosia.timers.pending", static () => Observe(static each => each.PendingTimers), "{timer}",
            "Durable timers that have not fired.");
        s_meter.CreateObservableUpDownCounter("ambrosia.effects.pending", static () => Observe(static each => each.PendingEffects),
            "{effect}", "Effects whose outcome is awaited.");
    }

    /// <summary>True if somebody listens to the duration of calls.</summary>
    public static bool MeasuresCalls => s_calls.Enabled;

    /// <summary>An immortal acts from here on.</summary>
    public static void Add(IPendingWork acting) => s_acting.TryAdd(acting, acting.Instance);

    /// <summary>It no longer does.</summary>
    public static void Remove(IPendingWork acting) => s_acting.Remove(acting);

    /// <summary>A handler has come to its outcome.</summary>
    /// <param name="instance">Name of the immortal.</param>
    /// <param name="method">Interface and method.</param>
    /// <param name="duration">Time since its beginning.</param>
    /// <param name="errorType">Type of the exception that it ended with; null for none.</param>
    public static void Handled(string instance, string method, TimeSpan duration, string? errorType)
    {
        var tags = new TagList
        {
            { "rpc.system.name", "ambrosia" }, { "rpc.method", method }, { "ambrosia.instance", instance },
        };
        if (errorType is not null)
        {
            tags.Add("error.type", errorType);
        }

        s_calls.Record(duration.TotalSeconds, tags);
    }

    /// <summary>A recovery has ended.</summary>
    public static void Recovered(string instance, TimeSpan duration, long messages)
    {
        var tag = new KeyValuePair<string, object?>("ambrosia.instance", instance);
        s_recoveries.Record(duration.TotalSeconds, tag);
        s_replayed.Add(messages, tag);
    }

    /// <summary>An attempt to perform an effect has ended.</summary>
    public static void Attempted(string instance, string effect, string outcome) => s_attempts.Add(
        1, new("ambrosia.instance", instance), new("ambrosia.effect", effect), new("ambrosia.effect.outcome", outcome));

    private static IEnumerable<Measurement<int>> Observe(Func<IPendingWork, int> count) => s_acting.Select(
        each => new Measurement<int>(count(each.Key), new KeyValuePair<string, object?>("ambrosia.instance", each.Key.Instance)));
}
