using Ambrosia.ImmortalCoordinator.Application;
using Ambrosia.ImmortalCoordinator.Core;
using Ambrosia.LogStore;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging;

namespace Ambrosia.ImmortalCoordinator.Poison;

/// <summary>Names the message at which the app does not move. Looks once per heartbeat; ends nothing unless <c>--handler-deadline</c> says so.</summary>
internal sealed class TurnWatchdog(WriteAheadLog log, TimeSpan patience, TimeSpan deadline, TimeProvider time, ILogger logger)
{
    private AppSession? _session;
    private MessagePosition _at;
    private long _since;
    private bool _told;

    /// <summary>What the app is stuck in, in words; empty while it moves.</summary>
    public string Text { get; private set; } = "";

    /// <summary>Seconds since it moved; 0 while nothing is to be done.</summary>
    public double Seconds { get; private set; }

    /// <summary>The message that the app has been executing for longer than the patience; null if there is none, or nobody knows which.</summary>
    public MessagePosition? StuckAt { get; private set; }

    /// <summary>Looks whether the app has moved since the last look; true when somebody should be told that it has not.</summary>
    public bool Look(AppSession? session)
    {
        if (session is null || session.LastDelivered < session.FirstUnfinished)
        {
            Reset(null);
            return false;
        }

        if (session != _session || session.FirstUnfinished != _at)
        {
            Reset(session);
            return false;
        }

        TimeSpan elapsed = time.GetElapsedTime(_since);
        Seconds = elapsed.TotalSeconds;
        if (deadline > TimeSpan.Zero && elapsed >= deadline && !session.KilledByDeadline && session.KillForDeadline())
        {
            CoreLog.HandlerEnded(logger, session.FirstUnfinished.ToString(), deadline.TotalSeconds);
        }

        bool tell = elapsed >= patience && !_told;
        _told |= tell;
        return tell;
    }

    /// <summary>Says what the app is stuck in.</summary>
    public async Task TellAsync()
    {
        if (_session is not { } session)
        {
            return;
        }

        MessagePosition? running = session.Running >= session.FirstUnfinished ? session.Running : null;
        LoggedMessage? message = running is { } known ? await LoggedMessage.ReadAsync(log, known) : null;
        // It may have moved while the log was read.
        if (session == _session && session.FirstUnfinished == _at)
        {
            Text = message?.Describe() ?? $"at or behind {session.FirstUnfinished}";
            StuckAt = running;
            CoreLog.HandlerStuck(logger, Text, Seconds);
        }
    }

    private void Reset(AppSession? session)
    {
        if (Text.Length > 0 && session is not null && session == _session)
        {
            CoreLog.HandlerMoved(logger, Text);
        }

        (_session, _at, _since) = (session, session?.FirstUnfinished ?? default, time.GetTimestamp());
        (_told, Text, Seconds, StuckAt) = (false, "", 0, null);
    }
}
