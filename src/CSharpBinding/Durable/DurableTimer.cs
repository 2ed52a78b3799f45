using System.ComponentModel;

namespace Ambrosia.Runtime;

/// <summary>A cell that completes when a point of log time has come.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class DurableTimer : DurableCell<Nothing>
{
    private DurableTimer(DateTimeOffset deadline) => Deadline = deadline;

    /// <summary>Identifies the pending timer within its immortal.</summary>
    public long Id { get; private set; }

    /// <summary>When it is due, in log time (UTC).</summary>
    public DateTimeOffset Deadline { get; }

    /// <summary>
    /// Arms a timer that is due <paramref name="delay"/> after the present log time; a delay of zero or less is due at once, but still
    /// goes through the log.
    /// </summary>
    /// <exception cref="InvalidOperationException">Called outside a turn, or in a turn without timers.</exception>
    public static DurableTimer Start(TimeSpan delay)
    {
        IDurableTimers timers = TimersOfTurn();
        DateTimeOffset now = timers.LogTime;
        TimeSpan longest = DateTimeOffset.MaxValue - now;
        DurableTimer timer = new(delay <= TimeSpan.Zero ? now : now + (delay < longest ? delay : longest));
        timer.Id = timers.Schedule(timer.Deadline, timer);
        return timer;
    }

    /// <summary>Called by the host when the impulse of this timer arrives and its id is still pending.</summary>
    public void Fire() => TryComplete(default);

    /// <summary>Disarms the timer if it is still pending; a wait for it never ends.</summary>
    public void Cancel()
    {
        if (!IsCompleted)
        {
            TimersOfTurn().Cancel(Id);
        }
    }

    /// <summary>The timer as something to await.</summary>
    public DurableTask Task => new(this);

    private static IDurableTimers TimersOfTurn() => Turn.Required.Timers
        ?? throw new InvalidOperationException("This turn has no timers: a durable delay or time-out needs a running immortal.");
}
