using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace Ambrosia.Bench.Immortals;

/// <summary>Times of round trips. Of the process, not of an immortal: nothing of it is state, saved or replayed.</summary>
[SuppressMessage("Ambrosia", "AMB101", Justification = "What is measured is neither sent nor saved by the immortal that measures.")]
[SuppressMessage("Ambrosia", "AMB109", Justification = "What is measured is neither sent nor saved by the immortal that measures.")]
internal static class Latencies
{
    private static readonly double[] s_microseconds = new double[1 << 22];
    private static int s_count;
    private static long s_begun;

    public static void Clear() => s_count = 0;

    public static void Begin() => s_begun = Stopwatch.GetTimestamp();

    public static void End() => Add(Stopwatch.GetElapsedTime(s_begun).TotalMicroseconds);

    /// <summary>Notes one time, from any thread.</summary>
    public static void Add(double microseconds)
    {
        int index = Interlocked.Increment(ref s_count) - 1;
        if (index < s_microseconds.Length)
        {
            s_microseconds[index] = microseconds;
        }
    }

    /// <summary>The percentiles of everything since <see cref="Clear"/>; null if nothing was timed.</summary>
    public static Percentiles? Take() =>
        s_count == 0 ? null : Percentiles.Of(s_microseconds.AsSpan(0, Math.Min(s_count, s_microseconds.Length)));
}
