using System.Diagnostics.Tracing;
using System.Globalization;
using Ambrosia.Coordinator.Context;
using Microsoft.Extensions.Logging;

namespace Ambrosia.ImmortalCoordinator.Telemetry;

/// <summary>
/// Writes a line when metrics or spans do not reach the collector: at once, and then once an hour. The library says it to an event source,
/// on its own threads, each time, and to nobody else.
/// </summary>
internal sealed class ExportWatch(ILogger logger, TimeProvider time) : EventListener
{
    private const int LongestReason = 300;
    private static readonly string[] s_sources = ["OpenTelemetry-Exporter-OpenTelemetryProtocol"];
    private static readonly TimeSpan s_pause = TimeSpan.FromHours(1);
    private readonly object _gate = new();
    private long? _told;

    /// <inheritdoc/>
    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (s_sources.Contains(eventSource.Name))
        {
            EnableEvents(eventSource, EventLevel.Warning);
        }
    }

    /// <inheritdoc/>
    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        lock (_gate)
        {
            if (_told is { } at && time.GetElapsedTime(at) < s_pause)
            {
                return;
            }

            _told = time.GetTimestamp();
        }

        CoordinatorLog.ExportFails(logger, ReasonOf(eventData));
    }

    // Its first line: behind it stands a stack trace.
    private static string ReasonOf(EventWrittenEventArgs said)
    {
        object?[] values = said.Payload is { } payload ? [.. payload] : [];
        string text = said.Message is { } format ? string.Format(CultureInfo.InvariantCulture, format, values) : said.EventName ?? "";
        string line = text.Split('\n')[0].Trim();
        return line.Length <= LongestReason ? line : line[..LongestReason] + "...";
    }
}
