using System.Diagnostics.Metrics;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Logging;

/// <summary>
/// Keeps repeated refusals from filling the log: the first line of a kind is written at once, and of those that follow within a minute
/// only how many they were, with the last one's text. The metric counts them all. Other lines go by unchanged.
/// </summary>
public sealed class RefusalLogger(ILogger inner, string instance, TimeProvider time) : ILogger, IDisposable
{
    private static readonly TimeSpan s_window = TimeSpan.FromMinutes(1);
    private static readonly Meter s_meter = new("Ambrosia.Refusals");
    private static readonly Counter<long> s_refusals =
        s_meter.CreateCounter<long>("ambrosia.refusals", "", "Connections that were refused.");

    private readonly KeyValuePair<string, object?> _instance = new(LogStoreMetrics.InstanceTag, instance);
    private readonly RepeatedLines _repeated = new(inner, s_window, time);

    /// <inheritdoc/>
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => inner.BeginScope(state);

    /// <inheritdoc/>
    public bool IsEnabled(LogLevel logLevel) => inner.IsEnabled(logLevel);

    /// <inheritdoc/>
    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        ArgumentNullException.ThrowIfNull(formatter);
        if (!IsAboutSomebodyRefused(eventId.Id, out string door))
        {
            inner.Log(logLevel, eventId, state, exception, formatter);
            return;
        }

        var fields = state as IReadOnlyList<KeyValuePair<string, object?>> ?? [];
        string code = eventId.Id == 1404 ? PeerErrors.PeerBrokeProtocol.Id : Field(fields, "Code");
        if (door.Length > 0)
        {
            s_refusals.Add(1, _instance, new("door", door), new("code", code));
        }

        if (_repeated.IsFirst(new RefusedKind(eventId.Id, code, OriginOf(fields)), () => formatter(state, exception)))
        {
            inner.Log(logLevel, eventId, state, exception, formatter);
        }
    }

    /// <summary>Writes what is still to be told.</summary>
    public void Dispose() => _repeated.Dispose();

    // The door is "" for what is written down, but is no refusal of a connection.
    private static bool IsAboutSomebodyRefused(int id, out string door)
    {
        door = id switch
        {
            1103 or 1403 or 1404 => "peer",
            1500 or 1501 => "app",
            _ => "",
        };
        return door.Length > 0 || id is 1102 or 1407;
    }

    // The port of an address is another one each time.
    private static string OriginOf(IReadOnlyList<KeyValuePair<string, object?>> fields)
    {
        string peer = Field(fields, "Peer");
        return peer.StartsWith("tcp:", StringComparison.Ordinal) && peer.LastIndexOf(':') is var colon and > 4 ? peer[..colon] : peer;
    }

    private static string Field(IReadOnlyList<KeyValuePair<string, object?>> fields, string name)
    {
        foreach ((string key, object? value) in fields)
        {
            if (key == name)
            {
                return value as string ?? "";
            }
        }

        return "";
    }
}
