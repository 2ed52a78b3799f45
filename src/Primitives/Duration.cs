using System.Globalization;

namespace Ambrosia.Primitives;

/// <summary>Times as people write them: <c>500ms</c>, <c>3s</c>, <c>1.5m</c>, <c>2h</c>.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class Duration
{
    private static readonly (string Unit, long Ticks)[] s_units =
    [
        ("ms", TimeSpan.TicksPerMillisecond), ("s", TimeSpan.TicksPerSecond), ("m", TimeSpan.TicksPerMinute), ("h", TimeSpan.TicksPerHour),
    ];

    /// <summary>Reads a time; a number without unit is none, because nobody knows whether it means seconds.</summary>
    public static bool TryParse(string text, out TimeSpan time)
    {
        time = default;
        foreach ((string unit, long ticks) in s_units)
        {
            if (text.EndsWith(unit, StringComparison.Ordinal)
                && decimal.TryParse(text.AsSpan(0, text.Length - unit.Length).Trim(), NumberStyles.AllowDecimalPoint,
                    CultureInfo.InvariantCulture, out decimal value))
            {
                bool fits = value <= (decimal)TimeSpan.MaxValue.Ticks / ticks;
                time = fits ? new TimeSpan((long)(value * ticks)) : default;
                return fits;
            }
        }

        return false;
    }

    /// <summary>The shortest exact text.</summary>
    public static string Format(TimeSpan time)
    {
        (string unit, long ticks) = s_units.Reverse().FirstOrDefault(unit => time.Ticks != 0 && time.Ticks % unit.Ticks == 0, s_units[1]);
        return string.Create(CultureInfo.InvariantCulture, $"{time.Ticks / (decimal)ticks:0.#######}{unit}");
    }
}
