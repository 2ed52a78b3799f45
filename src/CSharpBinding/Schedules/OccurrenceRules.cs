using Cronos;

namespace Ambrosia.Runtime;

/// <summary>
/// When a schedule runs, by the rules of time zones that this machine has. Only the process that acts asks, and what it gets is logged
/// (docs/internals/routines.md): no turn depends on it.
/// </summary>
internal sealed class OccurrenceRules(CronExpression expression, TimeZoneInfo zone)
{
    /// <summary>Stands for a next occurrence that never comes.</summary>
    public const long Never = 3155378975999999999; // The ticks of DateTime.MaxValue.

    /// <summary>Most occurrences that run after one silence.</summary>
    public const int MostMissed = 1000;

    /// <summary>An occurrence that runs this late at most is not missed.</summary>
    public static readonly TimeSpan Grace = TimeSpan.FromMinutes(1);

    /// <summary>Reads a cron expression of five fields, of six with seconds in front, or a macro such as <c>@daily</c>.</summary>
    /// <exception cref="FormatException">It is none, or it can never be met.</exception>
    public static CronExpression Parse(string schedule, string expression)
    {
        try
        {
            CronFormat format = expression.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries).Length == 6
                ? CronFormat.IncludeSeconds : CronFormat.Standard;
            CronExpression parsed = CronExpression.Parse(expression, format);
            return parsed.GetNextOccurrence(new DateTime(2000, 1, 1, 0, 0, 0, DateTimeKind.Utc)) is not null
                ? parsed : throw new CronFormatException("no date meets it");
        }
        catch (Exception error) when (error is CronFormatException or MissingSeedException)
        {
            throw new FormatException($"Schedule '{schedule}': \"{expression}\" is no cron expression: {error.Message.TrimEnd('.')}. "
                + "Write minute, hour, day of the month, month and day of the week, as in \"0 3 * * *\" for 3:00 each day; a sixth field "
                + "in front stands for seconds.", error);
        }
    }

    /// <summary>Ticks of the first occurrence after an instant; <see cref="Never"/> if there is none.</summary>
    public long NextAfter(long ticks) =>
        expression.GetNextOccurrence(new DateTimeOffset(ticks, TimeSpan.Zero), zone)?.UtcTicks ?? Never;

    /// <summary>
    /// What is due at <paramref name="now"/>: the chosen occurrence <paramref name="first"/> and those after it. At most
    /// <see cref="MostMissed"/> are told, the newest ones, and how many came before those, counted up to as many again.
    /// </summary>
    public (IReadOnlyList<long> Newest, int Older) Due(long first, long now)
    {
        // Looked for in spans that grow, since a second's schedule after a year has more than anybody wants to count. The library counts
        // backwards, too, but misses the day on which clocks are put forward by a tick.
        for (long span = TimeSpan.TicksPerMinute; ; span *= 4)
        {
            bool all = span >= now - first;
            List<long> found = [.. all ? [first] : Array.Empty<long>(), .. Between(all ? first : now - span, now)];
            if (all || found.Count >= 2 * MostMissed)
            {
                int older = Math.Max(0, found.Count - MostMissed);
                return (found.GetRange(older, found.Count - older), Math.Min(older, MostMissed));
            }
        }
    }

    // The first one is told even where today's rules would not choose it.
    private IEnumerable<long> Between(long after, long through) => expression.GetOccurrences(
        new DateTimeOffset(after, TimeSpan.Zero), new DateTimeOffset(through, TimeSpan.Zero), zone, fromInclusive: false,
        toInclusive: true).Select(static each => each.UtcTicks);
}
