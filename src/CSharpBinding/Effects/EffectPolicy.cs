using System.ComponentModel;

namespace Ambrosia.Runtime;

/// <summary>How an effect is tried again; what <see cref="RetryAttribute"/> says, in ticks.</summary>
/// <param name="TimeoutTicks">Longest time of one attempt.</param>
/// <param name="FirstTicks">Pause after the first failed attempt.</param>
/// <param name="LongestTicks">Longest pause.</param>
/// <param name="WithinTicks">Time from the request on until it is given up; 0: never.</param>
/// <param name="Attempts">Attempts of one process; 0: no limit.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct EffectPolicy(long TimeoutTicks, long FirstTicks, long LongestTicks, long WithinTicks, int Attempts)
{
    /// <summary>What counts without the attribute.</summary>
    public static EffectPolicy Default => new(30 * TimeSpan.TicksPerSecond, TimeSpan.TicksPerSecond, TimeSpan.TicksPerMinute, 0, 0);

    /// <summary>
    /// The pause after a number of failed attempts: doubled each time, and spread by what <paramref name="chance"/> says, from 0 to 1.
    /// </summary>
    internal TimeSpan PauseAfter(int failures, double chance)
    {
        double pause = Math.Min(FirstTicks * Math.Pow(2, Math.Min(failures - 1, 40)), LongestTicks);
        return TimeSpan.FromTicks((long)(pause * (0.8 + (0.4 * chance))));
    }
}
