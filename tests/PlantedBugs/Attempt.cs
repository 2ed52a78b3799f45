using System.Diagnostics;
using System.Globalization;

namespace Ambrosia.PlantedBugs;

/// <summary>One run of a harness in a process of its own, with a bug or without.</summary>
internal sealed record Attempt(Harness Harness, bool Noticed, bool Broken, double Seconds, string Evidence)
{
    /// <summary>Seeds that the simulator may use up.</summary>
    public const int MostSeeds = 4000;

    public static async Task<Attempt> RunAsync(string repository, Harness harness, string bug, TimeSpan limit, int? seeds = null)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!, [Environment.GetCommandLineArgs()[0], "try", repository, harness.ToString()]) { RedirectStandardOutput = true, RedirectStandardError = true };
        start.Environment["AMBROSIA_PLANTED_BUG"] = bug;
        start.Environment["AMBROSIA_CRASH_STATES"] = "8";
        start.Environment["AMBROSIA_SIM_WORKERS"] = "1";
        start.Environment["AMBROSIA_SIM_FIRST"] = "1";
        start.Environment["AMBROSIA_SIM_COUNT"] = (seeds ?? MostSeeds).ToString(CultureInfo.InvariantCulture);
        var watch = Stopwatch.StartNew();
        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Task<string> errors = process.StandardError.ReadToEndAsync();
        using var deadline = new CancellationTokenSource(limit);
        try
        {
            await process.WaitForExitAsync(deadline.Token);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            return new Attempt(harness, Noticed: false, Broken: true, watch.Elapsed.TotalSeconds, $"still running after {limit.TotalSeconds:F0} s");
        }

        string[] lines = (await output + await errors).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        string evidence = process.ExitCode == TestRunner.Failed
            ? string.Join(' ', lines.SkipWhile(line => !line.StartsWith("FAILED", StringComparison.Ordinal)).Take(6)).Replace("FAILED ", "", StringComparison.Ordinal)
            : $"{(process.ExitCode is TestRunner.Passed or TestRunner.NothingToRun ? "" : $"the process ended with {process.ExitCode}: ")}{lines.LastOrDefault(line => !line.StartsWith("   at ", StringComparison.Ordinal))}";
        return new Attempt(harness, process.ExitCode is not (TestRunner.Passed or TestRunner.NothingToRun), process.ExitCode == TestRunner.NothingToRun, watch.Elapsed.TotalSeconds, evidence);
    }
}
