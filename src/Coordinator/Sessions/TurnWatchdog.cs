using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>
/// Names the message at which the app does not move. Looks once per heartbeat; ends nothing unless <c>--handler-deadline</c> says so.
/// </summary>
internal sealed class TurnWatchdog(WriteAheadLog log, TimeSpan patience, TimeSpan deadline, TimeProvider time, ILogger logger)
{
    private readonly LifeWatch _life = new(patience, time);
    private AppSession? _session;
    private MessagePosition _at;
    private long _since;
    private long _busySince;
    private bool _told;
    private bool _isSilent;

    /// <summary>What the app is stuck in, in words; empty while it moves.</summary>
    public string Text { get; private set; } = "";

    /// <summary>Seconds since it moved; 0 while nothing is to be done.</summary>
    public double Seconds { get; private set; }

    /// <summary>It has not moved for longer than the patience.</summary>
    public bool IsLate { get; private set; }

    /// <summary>
    /// The message that the app has been executing for longer than the patience; null if there is none, or nobody knows which.
    /// </summary>
    public MessagePosition? StuckAt { get; private set; }

    /// <summary>Looks whether the app has moved since the last look; true when somebody should be told that it has not.</summary>
    public bool Look(AppSession? session)
    {
        bool isIdle = session is not null && session.LastDelivered < session.ExecutedBefore;
        // An idle app that is stopped would do nothing about what comes next, either.
        bool isSilent = IsSilent(session, isIdle);
        if (session is null || (isIdle && !isSilent && session.Process is not { IsStopped: true }))
        {
            Reset(session, isWatched: false);
            return false;
        }

        if (isSilent)
        {
            return LookAtSilent(session);
        }

        if (session != _session || session.ExecutedBefore != _at)
        {
            Reset(session, isWatched: true);
            return false;
        }

        // A turn cannot have lasted while there was nothing to execute.
        _busySince = isIdle ? time.GetTimestamp() : _busySince;
        TimeSpan elapsed = time.GetElapsedTime(_since);
        Seconds = elapsed.TotalSeconds;
        if (!isIdle && deadline > TimeSpan.Zero && time.GetElapsedTime(_busySince) >= deadline && !session.KilledByDeadline
            && session.KillForDeadline())
        {
            CoreLog.HandlerEnded(logger, session.ExecutedBefore.ToString(), deadline.TotalSeconds);
        }

        IsLate = elapsed >= patience;
        bool tell = IsLate && !_told;
        _told |= tell;
        return tell;
    }

    private bool IsSilent(AppSession? session, bool isIdle)
    {
        if (session is { Converses: true, IsPrimary: true, Process: { IsSeen: false, IsStopped: false } } && isIdle)
        {
            return _life.Look(session);
        }

        _life.Rest();
        return false;
    }

    private bool LookAtSilent(AppSession session)
    {
        if (session != _session || session.ExecutedBefore != _at)
        {
            Reset(session, isWatched: true);
        }

        _busySince = time.GetTimestamp(); // As above.
        (Seconds, IsLate) = (_life.Silence.TotalSeconds, true);
        bool tell = !_told;
        _told = true;
        return tell;
    }

    /// <summary>Says what the app is stuck in.</summary>
    public async Task TellAsync()
    {
        if (_session is not { } session)
        {
            return;
        }

        MessagePosition? running = session.Running >= session.ExecutedBefore ? session.Running : null;
        PlacedMessage? message = running is { } known ? await PlacedMessage.ReadAsync(log, known) : null;
        // It may have moved while the log was read.
        if (session == _session && session.ExecutedBefore == _at)
        {
            StuckAt = running;
            if (session.LastDelivered < session.ExecutedBefore)
            {
                bool isSeen = session.Process is { IsStopped: true };
                Text = isSeen ? "nothing: its process is stopped" : "nothing: it gives no sign of life";
                _isSilent = true;
                if (isSeen)
                {
                    CoreLog.AppStopped(logger, Seconds);
                }
                else
                {
                    CoreLog.AppSilent(logger, Seconds);
                }

                return;
            }

            Text = message?.Describe() ?? $"at or after {session.ExecutedBefore}";
            CoreLog.HandlerStuck(logger, Text, Seconds);
        }
    }

    private void Reset(AppSession? session, bool isWatched)
    {
        if (Text.Length > 0 && session is not null && session == _session)
        {
            if (_isSilent)
            {
                CoreLog.AppAnswers(logger);
            }
            else
            {
                CoreLog.HandlerMoved(logger, Text);
            }
        }

        (_session, _at, _since) = (isWatched ? session : null, session?.ExecutedBefore ?? default, time.GetTimestamp());
        _busySince = _since;
        (_told, _isSilent, Text, Seconds, StuckAt, IsLate) = (false, false, "", 0, null, false);
    }
}
