using System.Globalization;

namespace Ambrosia.LogStore.Settings;

/// <summary>How much of the past a log keeps. Two verified checkpoints and the log since the older are kept under every policy.</summary>
public sealed record RetentionPolicy
{
    /// <summary>So many checkpoints must be known to be good before anything older may go.</summary>
    internal const int CountedOn = 2;

    private RetentionPolicy(int checkpointCount, long byteCount) => (CheckpointCount, ByteCount) = (checkpointCount, byteCount);

    /// <summary>Keeps everything.</summary>
    public static RetentionPolicy All { get; } = new(int.MaxValue, long.MaxValue);

    /// <summary>Checkpoints kept at least; <see cref="int.MaxValue"/> for all.</summary>
    public int CheckpointCount { get; }

    /// <summary>Bytes of segments and checkpoints up to which older ones are kept too; 0 when only the count decides.</summary>
    public long ByteCount { get; }

    /// <summary>Keeps this many checkpoints (at least two) and the log since the oldest of them.</summary>
    public static RetentionPolicy Checkpoints(int count) => new(Math.Max(2, count), 0);

    /// <summary>Keeps as many checkpoints, with the log since the oldest of them, as fit into this many bytes.</summary>
    public static RetentionPolicy Bytes(long bytes) => new(2, bytes);

    /// <summary>Reads <c>all</c>, a count such as <c>3</c>, or a size such as <c>500MiB</c> or <c>20GiB</c>.</summary>
    public static RetentionPolicy Parse(string text)
    {
        if (text.Equals("all", StringComparison.OrdinalIgnoreCase))
        {
            return All;
        }

        (string suffix, long unit) =
            Units.FirstOrDefault(entry => text.EndsWith(entry.Suffix, StringComparison.OrdinalIgnoreCase), ("", 1));
        if (!long.TryParse(text.AsSpan(0, text.Length - suffix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out long number)
            || number < 1 || number > long.MaxValue / unit)
        {
            throw new FormatException($"'{text}' is no retention: use all, a number of checkpoints such as 3, or a size such as 20GiB.");
        }

        return suffix.Length > 0 ? Bytes(number * unit) : Checkpoints((int)Math.Min(number, int.MaxValue));
    }

    private static (string Suffix, long Unit)[] Units => [("KiB", 1L << 10), ("MiB", 1L << 20), ("GiB", 1L << 30), ("TiB", 1L << 40)];
}
