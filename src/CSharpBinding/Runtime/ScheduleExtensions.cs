using Ambrosia.Runtime;

namespace Ambrosia;

/// <summary>Declares schedules.</summary>
public static class ScheduleExtensions
{
    /// <summary>
    /// Lets a handler of this immortal run at the times of a cron expression, as in <c>This.Every("nightly", "0 3 * * *",
    /// "Europe/Vienna").CloseDayFork()</c> (docs/guide/schedules.md). The arguments are taken down now. The schedule is state: it survives
    /// crashes, failovers and upgrades until <c>CancelSchedule</c>.
    /// </summary>
    /// <param name="self">The immortal's own proxy, <c>This</c>.</param>
    /// <param name="name">Name of the schedule. Where it exists, it is changed; one that runs at the same times as before keeps its
    /// place, so it may be declared at each start.</param>
    /// <param name="expression">A cron expression: minute, hour, day of the month, month, day of the week; a sixth field in front stands
    /// for seconds. Or a macro such as <c>@daily</c>.</param>
    /// <param name="timeZone">Id of the time zone in which it counts, as in <c>Europe/Vienna</c>.</param>
    /// <param name="missed">What becomes of occurrences whose time came while nobody served.</param>
    /// <returns>What takes the one call that is to run: a fork.</returns>
    /// <exception cref="FormatException">The expression is none, or is never met.</exception>
    /// <exception cref="InvalidOperationException">Not called from a handler, not for the immortal itself, or it has too many
    /// schedules.</exception>
    public static T Every<T>(this T self, string name, string expression, string timeZone = "UTC", Missed missed = Missed.Once)
        where T : ImmortalProxy, new()
    {
        ArgumentNullException.ThrowIfNull(self);
        ImmortalRuntime runtime = self.InTurn();
        return self.IsSelf ? self.Recording<T>(runtime.Schedules.Declare(name, expression, timeZone, missed))
            : throw new InvalidOperationException(
                $"Schedule '{name}' is for {self.Destination}, and a schedule calls its own immortal only: "
                + $"schedule a handler of this one with This.Every(...), and call {self.Destination} there.");
    }
}
