using Ambrosia.Samples;

namespace Bank;

/// <summary>What was killed, and how long the recoveries took.</summary>
internal static class Summary
{
    public static void Print(SampleRun run, Monkey monkey)
    {
        if (monkey.Kills == 0)
        {
            return;
        }

        string kinds = string.Join(", ", monkey.Strikes.OrderBy(static entry => entry.Key)
            .Select(static entry => $"{entry.Value} × {Name(entry.Key)}"));
        double[] times = [.. monkey.Recoveries.Select(static time => time.TotalMilliseconds).Order()];
        run.Say($"{monkey.Kills} SIGKILLs: {kinds}");
        run.Say($"{times.Length} recoveries, from the kill until it serves again: min {times[0]:F0} ms, median "
            + $"{times[times.Length / 2]:F0} ms, max {times[^1]:F0} ms");
    }

    private static string Name(Strike strike) => strike switch
    {
        Strike.App => "an app",
        Strike.Coordinator => "a coordinator",
        Strike.Pair => "a pair",
        Strike.TwoPairs => "two pairs",
        _ => "everything at once",
    };
}
