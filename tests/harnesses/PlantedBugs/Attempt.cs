using System.Diagnostics;
using System.Globalization;

namespace Ambrosia.PlantedBugs;

/// <summary>One run of a harness, with a bug or without.</summary>
/// <param name="Harness">What ran.</param>
/// <param name="Outcome">How that ended.</param>
/// <param name="Noticed">Whether it showed what it had to show.</param>
/// <param name="Seconds">How long it took.</param>
/// <param name="Evidence">What it said.</param>
internal sealed record Attempt(Harness Harness, Outcome Outcome, bool Noticed, double Seconds, string Evidence)
{
    /// <summary>Seeds that the simulator may use up.</summary>
    public const int MostSeeds = 4000;

    /// <summary>Whether its tests waited less long than they always do.</summary>
    public bool IsHurried { get; private init; }

    /// <summary>Runs it in a process of its own.</summary>
    /// <param name="repository">Where the harnesses are.</param>
    /// <param name="harness">What runs.</param>
    /// <param name="bug">The bug's name; none if empty.</param>
    /// <param name="symptom">What it has to show.</param>
    /// <param name="limit">When its process is ended as one that hangs.</param>
    /// <param name="patience">How long its tests wait for what must happen; as long as they always do if null.</param>
    /// <param name="seeds">Seeds that the simulator may use up.</param>
    public static async Task<Attempt> RunAsync(string repository, Harness harness, string bug, Symptom symptom, TimeSpan limit,
        TimeSpan? patience, int? seeds = null)
    {
        ProcessStartInfo start = Runner(["try", repository, harness.ToString()], patience, seeds ?? MostSeeds);
        start.Environment["AMBROSIA_PLANTED_BUG"] = bug;
        if (bug.Length == 0)
        {
            start.Environment["AMBROSIA_INTERLEAVINGS"] = "20"; // That all are silent without a bug is what their own tests show.
        }

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
            return Late(harness, symptom, watch.Elapsed, limit, patience);
        }

        string[] lines = (await output + await errors).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        return Ended(harness, symptom, watch.Elapsed, process.ExitCode, lines, patience);
    }

    /// <summary>This program once more, with what its tests have to know.</summary>
    public static ProcessStartInfo Runner(string[] arguments, TimeSpan? patience, int seeds)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!, [Environment.GetCommandLineArgs()[0], .. arguments])
            { RedirectStandardOutput = true, RedirectStandardError = true };
        start.Environment["AMBROSIA_TEST_PATIENCE"] = patience?.TotalSeconds.ToString("F0", CultureInfo.InvariantCulture);
        start.Environment["AMBROSIA_CRASH_STATES"] = "8";
        start.Environment["DOTNET_TieredPGO"] = "0"; // Most end within seconds, and have no use for a profile of themselves.
        start.Environment["AMBROSIA_SIM_WORKERS"] = "1";
        start.Environment["AMBROSIA_SIM_FIRST"] = "1";
        start.Environment["AMBROSIA_SIM_COUNT"] = seeds.ToString(CultureInfo.InvariantCulture);
        return start;
    }

    /// <summary>One that was still running when its time was over.</summary>
    public static Attempt Late(Harness harness, Symptom symptom, TimeSpan took, TimeSpan limit, TimeSpan? patience) =>
        new(harness, Outcome.Hang, symptom.IsShownBy(Outcome.Hang, ""), took.TotalSeconds, $"still running after {limit.TotalSeconds:F0} s")
            { IsHurried = patience is not null };

    /// <summary>One that could not be made.</summary>
    public static Attempt Lost(Harness harness) =>
        new(harness, Outcome.Crash, Noticed: false, 0, "its process had ended before it was asked") { IsHurried = true };

    /// <summary>One that has ended with a code and with what it said.</summary>
    public static Attempt Ended(Harness harness, Symptom symptom, TimeSpan took, int code, string[] lines, TimeSpan? patience)
    {
        Outcome outcome = OutcomeOf(code, lines);
        return new Attempt(harness, outcome, symptom.IsShownBy(outcome, string.Join('\n', Said(outcome, lines))), took.TotalSeconds,
            Describe(outcome, code, lines)) { IsHurried = patience is not null };
    }

    private static Outcome OutcomeOf(int code, string[] lines) => code switch
    {
        TestRunner.Passed when lines.Any(static line => line.StartsWith(TestRunner.PassedLine, StringComparison.Ordinal)) => Outcome.Silent,
        TestRunner.Violated when lines.Any(IsFailed) => Outcome.Violation,
        TestRunner.Threw when lines.Any(IsFailed) => Outcome.Threw,
        TestRunner.NothingToRun => Outcome.NothingToRun,
        _ => Outcome.Crash,
    };

    // What a test failed of, without what was printed before; of a runner that has crashed everything.
    private static IEnumerable<string> Said(Outcome outcome, string[] lines) =>
        outcome is Outcome.Violation or Outcome.Threw ? lines.SkipWhile(static line => !IsFailed(line)) : lines;

    private static bool IsFailed(string line) => line.StartsWith(TestRunner.FailedLine, StringComparison.Ordinal);

    private static string Describe(Outcome outcome, int code, string[] lines) => outcome switch
    {
        Outcome.Violation => Failure(lines),
        Outcome.Threw => "no assertion failed: " + Failure(lines),
        Outcome.Crash => $"the runner crashed, its process ended with {code}: {LastLine(lines)}",
        _ => LastLine(lines),
    };

    private static string Failure(string[] lines) =>
        string.Join(' ', Said(Outcome.Violation, lines).Take(6))[TestRunner.FailedLine.Length..];

    private static string LastLine(string[] lines) =>
        lines.LastOrDefault(static line => !line.StartsWith("   at ", StringComparison.Ordinal)) ?? "it said nothing";
}
