using System.Diagnostics;

namespace Ambrosia.Bench.Immortals;

/// <summary>Times of one round trip after the other. Of the process, not of an immortal: nothing of it is state, saved or replayed.</summary>
internal static class Latencies
{
    private static readonly double[] s_microseconds = new double[1 << 22];
    private static int s_count;
    private static long s_begun;

    public static void Clear() => s_count = 0;

    public static void Begin() => s_begun = Stopwatch.GetTimestamp();

    public static void End()
    {
        if (s_count < s_microseconds.Length)
        {
            s_microseconds[s_count++] = Stopwatch.GetElapsedTime(s_begun).TotalMicroseconds;
        }
    }

    /// <summary>The percentiles of everything since <see cref="Clear"/>; null if nothing was timed.</summary>
    public static Percentiles? Take() => s_count == 0 ? null : Percentiles.Of(s_microseconds.AsSpan(0, s_count));
}
