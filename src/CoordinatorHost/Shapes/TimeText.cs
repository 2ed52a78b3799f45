using System.Globalization;
using System.Text.RegularExpressions;
using System.Xml;

namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>Times as ISO 8601 writes them, to 100 ns.</summary>
internal static partial class TimeText
{
    private const string Clock = "yyyy-MM-dd'T'HH:mm:ss.FFFFFFF";
    private static readonly string[] s_clocks = [Clock, "yyyy-MM-dd'T'HH:mm", "yyyy-MM-dd"];
    private static readonly string[] s_offsets = [Clock + "zzz", "yyyy-MM-dd'T'HH:mmzzz"];
    private static readonly string[] s_timesOfDay = ["HH:mm:ss.FFFFFFF", "HH:mm"];

    /// <summary>Ticks of a point in time; without an offset it is UTC.</summary>
    public static bool TryTime(string text, out long ticks)
    {
        if (TryClock(text, out DateTimeOffset clock))
        {
            ticks = clock.UtcTicks;
            return true;
        }

        bool read = DateTime.TryParseExact(text, s_clocks, CultureInfo.InvariantCulture, DateTimeStyles.None, out DateTime time);
        ticks = time.Ticks;
        return read;
    }

    /// <summary>A time with its offset from UTC.</summary>
    public static bool TryClock(string text, out DateTimeOffset clock)
    {
        string given = text.EndsWith('Z') || text.EndsWith('z') ? text[..^1] + "+00:00" : text;
        return DateTimeOffset.TryParseExact(given, s_offsets, CultureInfo.InvariantCulture, DateTimeStyles.None, out clock);
    }

    /// <summary>A time of day.</summary>
    public static bool TryTimeOfDay(string text, out TimeOnly time) =>
        TimeOnly.TryParseExact(text, s_timesOfDay, CultureInfo.InvariantCulture, DateTimeStyles.None, out time);

    /// <summary>A span of time, as PT1H30M or 01:30:00. Years and months have no length.</summary>
    public static bool TrySpan(string text, out TimeSpan span)
    {
        span = default;
        if (text.Contains(':', StringComparison.Ordinal) && TimeSpan.TryParseExact(text, "c", CultureInfo.InvariantCulture, out span))
        {
            return true;
        }

        if (text.Length > 64 || !Span().IsMatch(text))
        {
            return false;
        }

        try
        {
            span = XmlConvert.ToTimeSpan(text);
            return true;
        }
        catch (Exception error) when (error is FormatException or OverflowException)
        {
            return false;
        }
    }

    /// <summary>A point in time, in UTC.</summary>
    public static string OfTime(long ticks) => new DateTime(ticks, DateTimeKind.Utc).ToString(Clock + "'Z'", CultureInfo.InvariantCulture);

    /// <summary>A time with its offset.</summary>
    public static string OfClock(DateTimeOffset clock) => clock.ToString(Clock + "zzz", CultureInfo.InvariantCulture);

    /// <summary>A time of day.</summary>
    public static string OfTimeOfDay(TimeOnly time) => time.ToString("HH:mm:ss.FFFFFFF", CultureInfo.InvariantCulture);

    /// <summary>A span of time.</summary>
    public static string OfSpan(TimeSpan span) => XmlConvert.ToString(span);

    [GeneratedRegex(@"^-?P(\d{1,8}D)?(T(\d{1,10}H)?(\d{1,12}M)?(\d{1,14}(\.\d{1,7})?S)?)?$", RegexOptions.CultureInvariant)]
    private static partial Regex Span();
}
