using System.Globalization;

namespace Ambrosia.Primitives;

/// <summary>Sizes as people write them: <c>65536</c>, <c>64KiB</c>, <c>1.5GiB</c>, <c>10MB</c>.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ByteSize
{
    private static readonly (string Unit, long Bytes)[] s_units =
    [
        ("TiB", 1L << 40), ("GiB", 1L << 30), ("MiB", 1L << 20), ("KiB", 1L << 10),
        ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000), ("KB", 1_000), ("B", 1),
    ];

    /// <summary>Reads a size; false when it is none, is no whole number of bytes, or exceeds 8 EiB.</summary>
    public static bool TryParse(string text, out long bytes)
    {
        bytes = 0;
        string number = text.Trim();
        long factor = 1;
        foreach ((string unit, long unitBytes) in s_units)
        {
            if (number.EndsWith(unit, StringComparison.OrdinalIgnoreCase))
            {
                number = number[..^unit.Length].TrimEnd();
                factor = unitBytes;
                break;
            }
        }

        if (!decimal.TryParse(number, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out decimal value)
            || value > (decimal)long.MaxValue / factor)
        {
            return false;
        }

        bytes = (long)(value * factor);
        return bytes == value * factor;
    }

    /// <summary>The shortest exact text, in binary units.</summary>
    public static string Format(long bytes)
    {
        foreach ((string unit, long unitBytes) in s_units.AsSpan(0, 4))
        {
            if (bytes != 0 && bytes % unitBytes == 0)
            {
                return string.Create(CultureInfo.InvariantCulture, $"{bytes / unitBytes}{unit}");
            }
        }

        return bytes.ToString(CultureInfo.InvariantCulture);
    }
}
