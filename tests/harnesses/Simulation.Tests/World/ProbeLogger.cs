using System.Globalization;
using Ambrosia.Primitives;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Simulation.Tests;

/// <summary>Learns from what a coordinator logs what it went through, and prints it where a trace is wanted.</summary>
internal sealed class ProbeLogger(SimReport report, Action<string>? print) : ILogger
{
    private string _epoch = "";

    /// <summary>What its coordinator is at the moment.</summary>
    public required Func<string> Role { get; init; }

    /// <summary>Its log is in a service.</summary>
    public required bool IsInService { get; init; }

    /// <summary>Called at each step of an upgrade of the app.</summary>
    public required Action UpgradeStep { get; init; }

    /// <summary>Whether a checkpoint that is durable now is one that commits an upgrade, whose record must follow.</summary>
    public required Func<bool> IsAtCommit { get; init; }

    /// <summary>Called when its coordinator says that it has the right to append, with the epoch.</summary>
    public required Action<ulong> EpochOpened { get; init; }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        print?.Invoke(formatter(state, exception));
        if (eventId.Id is 1307 or 1401 or 1402 or 1403 && state is IReadOnlyList<KeyValuePair<string, object?>> values)
        {
            Learn(eventId.Id, values);
        }
        else
        {
            report.Logged(eventId.Id, Role(), IsInService);
            if (eventId.Id == 1509)
            {
                report.QuarantineRefused(formatter(state, exception));
            }

            if (eventId.Id is 1517 or 1519 or 1521 or 1522 || (eventId.Id == 1304 && IsAtCommit()))
            {
                UpgradeStep();
            }
        }
    }

    private void Learn(int eventId, IReadOnlyList<KeyValuePair<string, object?>> values)
    {
        switch (eventId)
        {
            case 1307:
                string epoch = Text(values, "Epoch");
                _epoch = "@" + epoch;
                EpochOpened(ulong.Parse(epoch, CultureInfo.InvariantCulture));
                break;
            case 1401:
                string durable = Text(values, "Durable");
                report.Sometimes(durable.EndsWith(_epoch, StringComparison.Ordinal) ? Sighting.PlainReconnect
                    : durable.EndsWith("@0", StringComparison.Ordinal) ? Sighting.FirstConnection : Sighting.Rebase);
                break;
            case 1402 when Text(values, "Reason").Contains("no address", StringComparison.Ordinal):
                report.Sometimes(Sighting.PeerUnknown);
                break;
            case 1403 when Text(values, "Code") is "IC-4005" or "IC-3002":
                report.Sometimes(Sighting.OldConnectionRefused);
                break;
            default:
                break;
        }
    }

    private static string Text(IReadOnlyList<KeyValuePair<string, object?>> values, string name)
    {
        foreach ((string key, object? value) in values)
        {
            if (key == name)
            {
                return Convert.ToString(value, CultureInfo.InvariantCulture) ?? "";
            }
        }

        return "";
    }
}
