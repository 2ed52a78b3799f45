using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.State;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Ingest;

/// <summary>
/// Says when nothing moves because both limits are reached: the app waits for others to take what it sends, and what they send waits for
/// the app. If they wait for this instance in turn, that is for ever, and only a person can end it. Looks once per heartbeat.
/// </summary>
internal sealed class LimitWatch(BackPressure pressure, SpillBudget spill, string instance, TimeSpan patience, TimeProvider time,
    ILogger logger)
{
    private string _told = "";
    private (ulong App, long Spilled) _at;
    private long _since;
    private bool _held;

    /// <summary>What is waited for, in words; empty while anything moves.</summary>
    public string Text { get; private set; } = "";

    /// <summary>Looks whether anything has moved since the last look.</summary>
    public void Look(ulong appPosition, OutputTable outputs)
    {
        TellShare();
        (ulong, long) now = (appPosition, spill.Used);
        if (!pressure.HeldAtBothEnds || !_held || _at != now)
        {
            (_held, _at, _since) = (pressure.HeldAtBothEnds, now, time.GetTimestamp());
            if (Text.Length > 0)
            {
                CoreLog.LimitsMoved(logger, instance);
            }

            Text = "";
        }
        else if (Text.Length == 0 && time.GetElapsedTime(_since) >= patience)
        {
            string names = string.Join(", ", spill.Awaited);
            Text = $"held at both limits: the app waits for {names} to take what it sends";
            CoreLog.HeldAtBothLimits(logger, names, instance);
        }
    }

    /// <summary>Once for each destination, until the app has been seen not to wait.</summary>
    private void TellShare()
    {
        string awaited = string.Join(", ", spill.Awaited);
        if (awaited.Length > 0 && awaited != _told)
        {
            CoreLog.ShareUsedUp(logger, awaited, instance);
        }

        _told = awaited;
    }
}
