using System.Globalization;
using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>
/// What people see of the schedules and compensations of a process that acts. Told to the coordinator when it has changed, once a second at
/// most.
/// </summary>
internal sealed class RoutineFigures(TimeProvider time, Action<RoutinesTold> tell) : IDisposable
{
    private static readonly TimeSpan s_apart = TimeSpan.FromSeconds(1);
    private readonly object _gate = new();
    private readonly SortedDictionary<string, ScheduleTold> _schedules = new(StringComparer.Ordinal);
    private IReadOnlyList<CompensationTold> _compensations = [];
    private ITimer? _timer;
    private long _told;
    private bool _armed;
    private bool _closed;

    /// <summary>A schedule stands like this.</summary>
    public void Set(SavedSchedule saved)
    {
        Schedule schedule = saved.ToSchedule();
        var told = new ScheduleTold(
            EffectMethodTold.Clean(schedule.Name), EffectMethodTold.Clean(schedule.Expression), EffectMethodTold.Clean(schedule.TimeZone),
            schedule.Missed.ToString().ToLower(CultureInfo.InvariantCulture), schedule.Next?.UtcTicks ?? 0, schedule.Last?.UtcTicks ?? 0,
            schedule.Runs, schedule.LeftOut, EffectMethodTold.Clean(schedule.Trouble));
        lock (_gate)
        {
            _schedules[schedule.Name] = told;
            Changed();
        }
    }

    /// <summary>Those sagas compensate.</summary>
    public void Set(IReadOnlyList<CompensationTold> compensations)
    {
        lock (_gate)
        {
            _compensations = compensations;
            Changed();
        }
    }

    /// <summary>There is no schedule of this name any more.</summary>
    public void Forget(string name)
    {
        lock (_gate)
        {
            if (_schedules.Remove(name))
            {
                Changed();
            }
        }
    }

    /// <summary>This process no longer acts.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _closed = true;
            _timer?.Dispose();
        }
    }

    // With the gate held. The timer rings outside of turns: a turn tells nothing.
    private void Changed()
    {
        if (_armed || _closed)
        {
            return;
        }

        _armed = true;
        TimeSpan due = _told == 0 ? TimeSpan.Zero : s_apart - time.GetElapsedTime(_told);
        _timer ??= time.CreateTimer(static figures => ((RoutineFigures)figures!).Tell(), this, Timeout.InfiniteTimeSpan,
            Timeout.InfiniteTimeSpan);
        _timer.Change(due > TimeSpan.Zero ? due : TimeSpan.Zero, Timeout.InfiniteTimeSpan);
    }

    private void Tell()
    {
        RoutinesTold told;
        lock (_gate)
        {
            _armed = false;
            if (_closed)
            {
                return;
            }

            _told = time.GetTimestamp();
            told = new RoutinesTold([.. _schedules.Values.Take(RoutinesTold.Most)], _compensations);
        }

        tell(told);
    }
}
