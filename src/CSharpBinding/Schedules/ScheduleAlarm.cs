using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>
/// Wakes up when an occurrence of a schedule is due, chooses the next one by this machine's rules of time zones and sends both as one
/// impulse. Only a primary has one; it holds no state: whatever it forgets is seen again in the saved schedules by the next primary.
/// </summary>
internal sealed class ScheduleAlarm : IDisposable
{
    private readonly object _gate = new();
    private readonly Dictionary<string, Watched> _watched = new(StringComparer.Ordinal);
    private readonly Dictionary<long, Watched> _armed = [];
    private readonly HashSet<long> _unsettled = [];
    private readonly Func<string, TimeZoneInfo> _zones;
    private readonly Action<ScheduleStep> _send;
    private readonly Action _sign;
    private readonly TimerAlarm _alarm;
    private long _lastId;

    /// <summary>An alarm that watches nothing.</summary>
    /// <param name="time">The wall clock, and the one that nobody sets.</param>
    /// <param name="zones">Finds a time zone by its id.</param>
    /// <param name="send">Sends a step; called on a thread of the clock.</param>
    /// <param name="sign">Has a record logged that says how far time has come.</param>
    public ScheduleAlarm(TimeProvider time, Func<string, TimeZoneInfo> zones, Action<ScheduleStep> send, Action sign)
    {
        (_zones, _send, _sign) = (zones, send, sign);
        _alarm = new TimerAlarm(time, OnDue);
    }

    /// <summary>True if no schedule waits for a step.</summary>
    public bool IsAtRest
    {
        get
        {
            lock (_gate)
            {
                return _unsettled.Count == 0;
            }
        }
    }

    /// <summary>Watches a schedule as it stands now.</summary>
    /// <param name="schedule">The schedule.</param>
    /// <param name="logTime">Log time.</param>
    /// <param name="begins">Whether this process has only begun to act: then it looks whether its rules say the same as those by which
    /// the next occurrence was chosen.</param>
    public void Set(SavedSchedule schedule, DateTimeOffset logTime, bool begins)
    {
        Watched watched;
        DateTimeOffset look;
        lock (_gate)
        {
            Drop(schedule.Name);
            watched = new Watched(++_lastId, schedule);
            _watched[watched.Name] = watched;
            _armed[watched.Id] = watched;
            look = begins || watched.Next == 0 || watched.Due < logTime ? logTime : watched.Due;
            if (look == logTime)
            {
                _unsettled.Add(watched.Id);
            }
        }

        _alarm.Arm(watched.Id, look, logTime, TimeSpan.Zero);
    }

    /// <summary>Watches it no longer.</summary>
    public void Forget(string name)
    {
        lock (_gate)
        {
            Drop(name);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _alarm.Dispose();

    private void Drop(string name)
    {
        if (_watched.Remove(name, out Watched? old))
        {
            _armed.Remove(old.Id);
            _unsettled.Remove(old.Id);
        }
    }

    private void OnDue(long id)
    {
        if (id == TimerAlarm.NoTimer)
        {
            _sign();
            return;
        }

        Watched? watched;
        lock (_gate)
        {
            if (!_armed.TryGetValue(id, out watched))
            {
                return;
            }
        }

        DateTimeOffset now = _alarm.Now();
        ScheduleStep? step = StepOf(watched, now.UtcTicks);
        lock (_gate)
        {
            if (!_armed.ContainsKey(id))
            {
                return;
            }

            _ = step is null ? _unsettled.Remove(id) : _unsettled.Add(id); // Until a turn has taken it.
        }

        if (step is not null)
        {
            _send(step);
        }
        else if (watched.Next > 0)
        {
            _alarm.Arm(id, watched.Due, now, TimeSpan.Zero);
        }
    }

    // Null if there is nothing to say yet.
    private ScheduleStep? StepOf(Watched watched, long now)
    {
        var step = new ScheduleStep(watched.Name, watched.Lsn, watched.Index, watched.Next, 0, 0, 0, 0, "");
        if (RulesOf(watched, out string trouble) is not { } rules)
        {
            return watched.IsDueAt(now) ? Run(step, watched, [watched.Next], 0, now) with { Trouble = trouble }
                : watched.Next == 0 && watched.Trouble != trouble ? step with { Trouble = trouble } : null;
        }

        if (watched.IsDueAt(now))
        {
            (IReadOnlyList<long> newest, int older) = rules.Due(watched.Next, now);
            step = Run(step, watched, newest, older, now);
            return step with { Next = step.Next > 0 ? step.Next : rules.NextAfter(step.Handled) };
        }

        long next = rules.NextAfter(watched.After);
        return next == watched.Next ? null : step with { Next = next };
    }

    private static ScheduleStep Run(ScheduleStep step, Watched watched, IReadOnlyList<long> newest, int older, long now)
    {
        if (watched.Missed == Missed.All)
        {
            return step with { Run = newest[0], Handled = newest[0], LeftOut = older, Next = newest.Count > 1 ? newest[1] : 0 };
        }

        step = step with { Run = newest[^1], Handled = newest[^1], LeftOut = newest.Count - 1 + older };
        return watched.Missed == Missed.Skip && now - step.Run > OccurrenceRules.Grace.Ticks
            ? step with { Run = 0, LeftOut = step.LeftOut + 1 } : step;
    }

    private OccurrenceRules? RulesOf(Watched watched, out string trouble)
    {
        trouble = "";
        try
        {
            return new OccurrenceRules(OccurrenceRules.Parse(watched.Name, watched.Expression), _zones(watched.Zone));
        }
        catch (Exception error) when (!ProcessFailure.Is(error))
        {
            trouble = error is TimeZoneNotFoundException
                ? $"there is no time zone '{watched.Zone}' where the immortal runs: correct its id, as in \"Europe/Vienna\", or "
                + $"install the "
                    + "system's time zone data (package tzdata) and start the app again"
                : $"its next occurrence cannot be told: {error.GetType().Name}: {error.Message}";
            trouble = trouble[..Math.Min(trouble.Length, ScheduleStep.LongestTrouble / 4)];
            return null;
        }
    }

    // What other threads may read of a schedule.
    private sealed class Watched(long id, SavedSchedule schedule)
    {
        public long Id { get; } = id;

        public string Name { get; } = schedule.Name;

        public ulong Lsn { get; } = schedule.Lsn;

        public int Index { get; } = schedule.Index;

        public string Expression { get; } = schedule.Expression;

        public string Zone { get; } = schedule.Zone;

        public Missed Missed { get; } = schedule.Missed;

        public long After { get; } = schedule.After;

        public long Next { get; } = schedule.Next;

        public string Trouble { get; } = schedule.Trouble;

        public DateTimeOffset Due => new(Next, TimeSpan.Zero);

        public bool IsDueAt(long now) => Next > 0 && Next <= now;
    }
}
