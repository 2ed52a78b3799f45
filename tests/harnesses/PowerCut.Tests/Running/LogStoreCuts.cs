using System.Diagnostics;
using System.Globalization;

namespace Ambrosia.PowerCut.Tests.Running;

/// <summary>Power cuts of the log store alone: many, on several disks at once.</summary>
internal static class LogStoreCuts
{
    private static readonly string[] s_calls =
    [
        "pwrite segment", "fdatasync segment", "fsync segment aside", "rename segment", "fsync folder", "ftruncate segment",
        "pwrite checkpoint aside", "fdatasync checkpoint aside",
        "rename checkpoint", "pwrite manifest aside", "fsync manifest aside", "rename manifest", "unlink segment", "unlink checkpoint",
        "pwrite spare segment", "fsync spare segment",
    ];

    /// <summary>Returns the exit code.</summary>
    public static async Task<int> RunAsync(string place)
    {
        Console.WriteLine($"AMBROSIA_CUT_SEED={CutSettings.Seed} AMBROSIA_CUTS={CutSettings.Cuts}");
        var watch = Stopwatch.StartNew();
        var coverage = new Coverage();
        int taken = 0;
        Task[] lanes = [.. Enumerable.Range(0, CutSettings.Lanes).Select(number =>
            Task.Run(new Lane(number, place, CutSettings.Seed, coverage, () =>
                Interlocked.Increment(ref taken) <= CutSettings.Cuts).RunAsync))];
        try
        {
            await Task.WhenAll(lanes);
        }
        catch (Exception error) when (coverage.Violations.Count > 0)
        {
            Console.WriteLine($"Ended early: {error.Message}");
        }

        Print(coverage, watch.Elapsed);
        string[] wrong = [.. coverage.Violations, .. Missing(coverage)];
        foreach (string line in wrong)
        {
            Console.WriteLine("VIOLATION " + line);
        }

        return wrong.Length == 0 ? 0 : 1;
    }

    private static void Print(Coverage coverage, TimeSpan elapsed)
    {
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"{coverage.Cuts} power cuts of the log store on {CutSettings.Lanes} disks in {elapsed.TotalSeconds:0} s, "
            + $"{coverage.Recoveries} recoveries compared."));
        Console.WriteLine($"By file system: {Join(coverage.Systems)}.");
        Console.WriteLine($"By what is left: {Join(coverage.Modes)}.");
        Console.WriteLine($"While: {Join(coverage.Phases)}.");
        Console.WriteLine($"With calls under way: {Join(coverage.Calls)}.");
        Console.WriteLine($"Torn tails cut: {coverage.TornTails}; recoveries with records that nobody had confirmed: {coverage.Survivors} "
            + $"(at most {coverage.MostUnconfirmed}); "
            + $"from a checkpoint: {coverage.FromCheckpoint}; waits for durability: {coverage.Flushes}, checkpoints: "
            + $"{coverage.Checkpoints}, segments: {coverage.Segments}.");
        coverage.RuinedDisks.ForEach(static disk =>
            Console.WriteLine("A file system found itself damaged, its disk was replaced: " + disk));
    }

    private static IEnumerable<string> Missing(Coverage coverage)
    {
        if (coverage.Cuts < CutSettings.Cuts)
        {
            yield return $"only {coverage.Cuts} power cuts were made";
        }

        if (coverage.RuinedDisks.Count > 1)
        {
            yield return $"{coverage.RuinedDisks.Count} file systems were ruined: that is no accident";
        }

        if (coverage.Cuts < 500)
        {
            yield break; // A short run on purpose: nothing rare can be asked of it.
        }

        (string What, long Count)[] sometimes =
        [
            ("torn tail", coverage.TornTails), ("record that survived unconfirmed", coverage.Survivors),
            ("recovery from a checkpoint", coverage.FromCheckpoint),
            ("cut while opening", coverage.Phases.GetValueOrDefault("opening")),
            ("cut while recovering", coverage.Phases.GetValueOrDefault("recovering")),
            ("cut on ext4", coverage.Systems.GetValueOrDefault("ext4")), ("cut on xfs", coverage.Systems.GetValueOrDefault("xfs")),
            .. s_calls.Select(call => ($"cut in {call}", (long)coverage.Calls.GetValueOrDefault(call))),
        ];
        foreach ((string what, long count) in sometimes)
        {
            if (count == 0)
            {
                yield return $"never seen: {what}";
            }
        }
    }

    private static string Join(IEnumerable<KeyValuePair<string, int>> counts) =>
        string.Join(", ", counts.Select(static pair => string.Create(CultureInfo.InvariantCulture, $"{pair.Key} {pair.Value}")));
}
