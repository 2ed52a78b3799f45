using System.Text;
using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>
/// The schedules of one immortal: state. When each comes next is not computed here: the process that acts chooses, and its choice counts
/// once it is in the log (docs/internals/routines.md).
/// </summary>
internal sealed class ScheduleTable(TurnClock clock)
{
    private const int MostSchedules = 1000;
    private const int LongestText = 256;
    private readonly SortedDictionary<string, SavedSchedule> _all = new(StringComparer.Ordinal);
    private readonly SortedSet<string> _changed = new(StringComparer.Ordinal);
    private ScheduleAlarm? _alarm;
    private RoutineFigures? _figures;

    /// <summary>True if the alarm has not seen all of it.</summary>
    public bool HasChanged => _changed.Count > 0;

    /// <summary>A turn declares a schedule; the call that is recorded next is what it runs.</summary>
    /// <exception cref="FormatException">The expression is none.</exception>
    /// <exception cref="ArgumentException">A text is missing or too long.</exception>
    /// <exception cref="InvalidOperationException">There are too many schedules.</exception>
    public CallRecorder Declare(string name, string expression, string zone, Missed missed)
    {
        Require(name, nameof(name));
        Require(expression, nameof(expression));
        Require(zone, nameof(zone));
        if (missed is < Missed.Once or > Missed.Skip)
        {
            throw new ArgumentOutOfRangeException(nameof(missed), missed,
                $"Schedule '{name}': use Missed.Once, Missed.All or Missed.Skip.");
        }

        OccurrenceRules.Parse(name, expression);
        if (!_all.ContainsKey(name) && _all.Count >= MostSchedules)
        {
            throw new InvalidOperationException($"This immortal has {MostSchedules} schedules, which is the limit: cancel some with "
                + "CancelSchedule, or let one schedule call a handler that does the work of several.");
        }

        return new ScheduleRecorder(this, name, expression, zone, missed);
    }

    /// <summary>
    /// The declaration is complete. Where the schedule exists, it changes; one that runs at the same times keeps its place.
    /// </summary>
    public void Set(string name, string expression, string zone, Missed missed, int method, byte[] arguments)
    {
        if (!_all.TryGetValue(name, out SavedSchedule? schedule))
        {
            _all[name] = schedule = new SavedSchedule(name, clock.Lsn, clock.Index);
        }

        schedule.RunAt(expression, zone, clock);
        schedule.Call(method, arguments, missed);
        Changed(name);
    }

    /// <summary>Ends a schedule; false if there is none of this name.</summary>
    public bool Cancel(string name)
    {
        if (!_all.Remove(name)) // Null is refused here, within the turn.
        {
            return false;
        }

        Changed(name);
        return true;
    }

    /// <summary>The schedules in the order of their names.</summary>
    public IReadOnlyList<Schedule> List() => [.. _all.Values.Select(static schedule => schedule.ToSchedule())];

    /// <summary>
    /// The schedule that a step is for; null if it has no effect: it was sent twice, or the schedule has changed meanwhile.
    /// </summary>
    public SavedSchedule? Find(ScheduleStep step) => _all.TryGetValue(step.Name, out SavedSchedule? schedule)
        && (schedule.Lsn, schedule.Index, schedule.Next) == (step.Lsn, step.Index, step.Expected) ? schedule : null;

    /// <summary>A step was logged: the schedule goes on; null if it has no effect.</summary>
    /// <param name="step">The step.</param>
    /// <param name="runs">False if it was quarantined: its occurrence is left out.</param>
    public SavedSchedule? Take(ScheduleStep step, bool runs = true)
    {
        if (Find(step) is not { } schedule)
        {
            return null;
        }

        clock.LogTicks = Math.Max(clock.LogTicks, step.Run);
        bool leftOut = !runs && step.Run > 0;
        schedule.Take(leftOut ? 0 : step.Run, step.Handled, step.LeftOut + (leftOut ? 1 : 0), step.Next, step.Trouble);
        Changed(step.Name);
        return schedule;
    }

    /// <summary>From now on this process looks at its clock.</summary>
    public void Start(ScheduleAlarm alarm, RoutineFigures? figures)
    {
        (_alarm, _figures) = (alarm, figures);
        _changed.Clear();
        foreach (SavedSchedule schedule in _all.Values)
        {
            alarm.Set(schedule, clock.LogTime, begins: true);
            figures?.Set(schedule);
        }
    }

    /// <summary>Turns have ended: the alarm sees what they changed.</summary>
    public void ShowChanged()
    {
        foreach (string name in _changed)
        {
            if (_all.TryGetValue(name, out SavedSchedule? schedule))
            {
                _alarm?.Set(schedule, clock.LogTime, begins: false);
                _figures?.Set(schedule);
            }
            else
            {
                _alarm?.Forget(name);
                _figures?.Forget(name);
            }
        }

        _changed.Clear();
    }

    /// <summary>The table as state; empty if there are no schedules.</summary>
    public SavedSchedule[] Save() => [.. _all.Values];

    /// <summary>Puts the table into a saved state.</summary>
    public void Restore(IEnumerable<SavedSchedule> saved)
    {
        _all.Clear();
        _changed.Clear();
        foreach (SavedSchedule schedule in saved)
        {
            _all.Add(schedule.Name, schedule);
        }
    }

    private void Changed(string name)
    {
        if (_alarm is not null)
        {
            _changed.Add(name);
        }
    }

    private static void Require(string text, string what)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(text, what);
        if (Encoding.UTF8.GetByteCount(text) > LongestText || text.Any(char.IsControl))
        {
            throw new ArgumentException($"At most {LongestText} bytes without control characters.", what);
        }
    }
}
