namespace Ambrosia.Client;

/// <summary>How long a client waits before it tries again: longer each time, and never as long as another one.</summary>
internal static class Backoff
{
    private static readonly TimeSpan s_first = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_most = TimeSpan.FromSeconds(2);

    /// <summary>The pause after so many failures in a row.</summary>
    /// <param name="failures">Failures in a row.</param>
    /// <param name="addresses">So many addresses are tried at once, each when the one before has failed.</param>
    public static TimeSpan After(int failures, int addresses)
    {
        int rounds = failures - addresses;
        if (rounds < 0)
        {
            return TimeSpan.Zero;
        }

        TimeSpan most = rounds > 10 ? s_most : TimeSpan.FromTicks(Math.Min(s_most.Ticks, s_first.Ticks << rounds));
        return most * (0.5 + (0.5 * Random.Shared.NextDouble()));
    }
}
