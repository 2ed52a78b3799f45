using System.Collections.Concurrent;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Ambrosia.PlantedBugs;

/// <summary>Runs every bug against the harnesses that are expected to notice it, prints a table, and counts what is not as it should
/// be.</summary>
internal sealed partial class Hunt(string repository, List<Bug> bugs)
{
    /// <summary>A bug of this name is so gross that every harness it names must notice it: else the alarm itself is broken.</summary>
    public const string Canary = "canary";

    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(120);

    // Most tests that notice a bug wait in vain for what it keeps from happening. A test that is not silent under this patience without a
    // bug has noticed nothing under it.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);
    private const double MedianLimit = 10;
    private readonly ConcurrentBag<Harness> _noisy = [];
    private readonly ConcurrentDictionary<Harness, bool> _heard = new();
    private int _seeds = 1;
    private int _passed;
    private int _failed;

    public Task<int> RunAsync(Share share)
    {
        List<Bug> picked = share.Pick(bugs);
        Console.WriteLine($"share {share.Number} of {share.Of}: {picked.Count} of {bugs.Count} planted bugs and decoys");
        return RunAsync(picked);
    }

    public Task<int> RunAsync(string[] names)
    {
        if (names.FirstOrDefault(name => bugs.All(bug => bug.Name != name)) is { } unknown)
        {
            throw new BugFileException($"there is no bug {unknown}");
        }

        return RunAsync(names.Length == 0 ? bugs : [.. bugs.Where(bug => names.Contains(bug.Name))]);
    }

    private async Task<int> RunAsync(List<Bug> hunted)
    {
        var results = new ConcurrentDictionary<Bug, List<Attempt>>();
        await ForEachAsync([.. hunted.Where(NeedsOwnProcess)], bug => Harness.Parse(bug.Harnesses[0]), async bug =>
            Keep(bug, await TryAsync(bug, s_limit, s_patience), results));
        await HuntInSessionsAsync([.. hunted.Where(bug => !NeedsOwnProcess(bug))], results);
        // Its harness had the machine for itself neither in time nor in memory: only what escapes it alone has escaped.
        await HuntAloneAsync(hunted.Where(bug => !IsAsExpected(bug, results[bug])), "missed beside others", results);
        await LookForNoiseAsync([.. results.Values.SelectMany(attempts => attempts)]);
        HashSet<Harness> noisy = [.. _noisy];
        Bug[] unsure = [.. hunted.Where(bug =>
            results[bug].Exists(attempt => attempt.Noticed && attempt.IsHurried && noisy.Contains(attempt.Harness)))];
        await HuntAloneAsync(unsure, "its harness fails in a hurry", results);
        foreach (Harness harness in noisy)
        {
            RequireSilence(await TryWithoutAsync(harness, patience: null));
        }

        foreach (Bug bug in hunted)
        {
            Count(IsAsExpected(bug, results[bug]));
        }

        Summarize(hunted, results);
        return _failed == 0 ? 0 : 1;
    }

    private static void Keep(Bug bug, List<Attempt> attempts, ConcurrentDictionary<Bug, List<Attempt>> results)
    {
        results[bug] = attempts;
        if (IsAsExpected(bug, attempts))
        {
            Print(bug, attempts);
        }
    }

    /// <summary>
    /// Bugs that a class of tests is to notice, one after the other in one process; then that class has to be silent there without a bug.
    /// </summary>
    private async Task HuntInSessionsAsync(List<Bug> bugs, ConcurrentDictionary<Bug, List<Attempt>> results)
    {
        await using var sessions = new Sessions(repository, s_patience);
        await Parallel.ForEachAsync(
            bugs.GroupBy(bug => Harness.Parse(bug.Harnesses[0]) with { Method = "" }).OrderByDescending(group => group.Count()),
            new ParallelOptions { MaxDegreeOfParallelism = 3 * Environment.ProcessorCount }, // Most of the time they wait.
            async (group, _) => await HuntInSessionAsync(group.Key, [.. group], sessions, results));
    }

    private async Task HuntInSessionAsync(Harness tests, List<Bug> bugs, Sessions sessions,
        ConcurrentDictionary<Bug, List<Attempt>> results)
    {
        Session session = sessions.Take(tests.Project);
        List<Bug> tried = []; // Since its process was last silent.
        foreach (Bug bug in bugs)
        {
            if (session.HasEnded)
            {
                // Nobody can ask it any more whether it is silent.
                await sessions.GiveBackAsync(session);
                await TryAgainAsync(tried, results);
                tried = [];
                session = sessions.Take(tests.Project);
            }

            Session current = session;
            tried.Add(bug);
            Keep(bug, await TryAsync(bug, harness => harness.Project == current.Project && !current.HasEnded
                ? current.RunAsync(harness, bug.Name, bug.Symptom, s_limit)
                : Attempt.RunAsync(repository, harness, bug.Name, bug.Symptom, s_limit, s_patience)), results);
        }

        foreach (Harness harness in HarnessesToSilence(tried.SelectMany(bug => results[bug])).Where(one => one.Project == tests.Project))
        {
            Attempt attempt = session.HasEnded ? Attempt.Lost(harness)
                : await session.RunAsync(harness, "", Symptom.Assertion, 3 * s_limit);
            if (attempt.Outcome != Outcome.Silent)
            {
                Console.WriteLine($"not silent after bugs in its process: {harness}: {Shorten(attempt.Evidence)}");
                await TryAgainAsync(tried, results);
                break;
            }

            if (_heard.TryAdd(harness, true))
            {
                RequireSilence(attempt);
            }
        }

        await sessions.GiveBackAsync(session);
    }

    private async Task TryAgainAsync(List<Bug> bugs, ConcurrentDictionary<Bug, List<Attempt>> results)
    {
        foreach (Bug bug in bugs)
        {
            Keep(bug, await TryAsync(bug, s_limit, s_patience), results);
        }
    }

    /// <summary>Harness after harness until one notices; the canary meets all of its own.</summary>
    private static async Task<List<Attempt>> TryAsync(Bug bug, Func<Harness, Task<Attempt>> run)
    {
        List<Attempt> attempts = [];
        foreach (string harness in bug.Harnesses)
        {
            attempts.Add(await run(Harness.Parse(harness)));
            if (attempts[^1].Noticed && bug.Name != Canary)
            {
                break;
            }
        }

        return attempts;
    }

    private Task<List<Attempt>> TryAsync(Bug bug, TimeSpan limit, TimeSpan? patience) =>
        TryAsync(bug, harness => Attempt.RunAsync(repository, harness, bug.Name, bug.Symptom, limit, patience));

    private async Task HuntAloneAsync(IEnumerable<Bug> few, string why, ConcurrentDictionary<Bug, List<Attempt>> results)
    {
        foreach (Bug bug in few)
        {
            Console.WriteLine($"{why}, hunted again alone: {bug.Name}: {Shorten(results[bug][^1].Evidence)}");
            results[bug] = await TryAsync(bug, 2 * s_limit, patience: null);
            Print(bug, results[bug]);
        }
    }

    private static void Print(Bug bug, List<Attempt> attempts)
    {
        foreach (Attempt attempt in attempts)
        {
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
                $"{Verdict(bug, attempt),-10} {bug.Name,-38} {attempt.Seconds,6:F1} s  {attempt.Harness} | {Shorten(attempt.Evidence)}"));
        }
    }

    /// <summary>
    /// A decoy shows that a runner that breaks has noticed nothing; one that no longer breaks its runner shows nothing at all.
    /// </summary>
    private static bool IsAsExpected(Bug bug, List<Attempt> attempts) => bug.IsDecoy ? attempts.All(IsSeenThrough)
        : bug.Name == Canary ? attempts.All(attempt => attempt.Noticed) : attempts.Any(attempt => attempt.Noticed);

    private static bool IsSeenThrough(Attempt attempt) => !attempt.Noticed && attempt.Outcome is Outcome.Threw or Outcome.Crash;

    private static string Verdict(Bug bug, Attempt attempt) =>
        !bug.IsDecoy ? attempt.Noticed ? "caught" : "NOT CAUGHT" : IsSeenThrough(attempt) ? "decoy" : "DECOYED";

    /// <summary>
    /// Without a bug every harness that was used must be silent, the simulator for at least as many seeds as it took to notice anything;
    /// seeds that are kept lie beyond those it goes through.
    /// </summary>
    private async Task LookForNoiseAsync(List<Attempt> attempts)
    {
        _seeds = attempts.Select(attempt => Seed().Match(attempt.Evidence)).Where(match => match.Success)
            .Select(match => int.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture)).Where(seed => seed <= Attempt.MostSeeds)
            .DefaultIfEmpty(1).Max();
        Harness[] used = [.. HarnessesToSilence(attempts).Where(harness => !_heard.ContainsKey(harness))];
        await ForEachAsync(used, harness => harness, async harness =>
        {
            Attempt attempt = await TryWithoutAsync(harness, s_patience);
            if (attempt.Outcome == Outcome.Silent)
            {
                RequireSilence(attempt);
            }
            else
            {
                _noisy.Add(harness);
            }
        });
    }

    private static IEnumerable<Harness> HarnessesToSilence(IEnumerable<Attempt> attempts) =>
        attempts.Where(attempt => attempt.Outcome is Outcome.Violation or Outcome.Threw or Outcome.Crash)
            .Select(attempt => attempt.Harness).Distinct();

    private Task<Attempt> TryWithoutAsync(Harness harness, TimeSpan? patience) =>
        Attempt.RunAsync(repository, harness, "", Symptom.Assertion, 3 * s_limit, patience, _seeds);

    private void RequireSilence(Attempt attempt)
    {
        bool silent = attempt.Outcome == Outcome.Silent;
        Count(silent);
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"{(silent ? "silent    " : "FALSE ALARM")} {"(no bug)",-38} {attempt.Seconds,6:F1} s  "
            + $"{attempt.Harness}{(silent ? "" : " | " + Shorten(attempt.Evidence))}"));
    }

    private void Summarize(List<Bug> hunted, ConcurrentDictionary<Bug, List<Attempt>> results)
    {
        Bug[] real = [.. hunted.Where(bug => !bug.IsDecoy)];
        int caught = real.Count(bug => results[bug].Any(attempt => attempt.Noticed));
        double[] seconds = [.. real.Select(bug => results[bug].Sum(attempt => attempt.Seconds)).Order()];
        double median = seconds.Length == 0 ? 0 : seconds[seconds.Length / 2];
        if (hunted.Count == bugs.Count)
        {
            Count(median < MedianLimit);
        }

        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"{real.Length} planted bugs, {caught} caught; {hunted.Count - real.Length} decoys; median {median:F1} s (limit "
            + $"{MedianLimit:F0}), "
            + $"slowest {seconds.LastOrDefault():F1} s (limit {s_limit.TotalSeconds:F0})"));
        Console.WriteLine($"{_passed} passed, {_failed} failed");
    }

    private void Count(bool good)
    {
        if (good)
        {
            Interlocked.Increment(ref _passed);
        }
        else
        {
            Interlocked.Increment(ref _failed);
        }
    }

    // What goes through many seeds or schedules computes all the time, one for each processor. Others wait now and then, up to a minute,
    // for what their bug keeps from happening: twice as many.
    private static async Task ForEachAsync<T>(IReadOnlyList<T> all, Func<T, Harness> harnessOf, Func<T, Task> act)
    {
        foreach (IGrouping<bool, T> group in all.GroupBy(one => harnessOf(one).IsExploring)
            .OrderByDescending(group => group.Key))
        {
            var several = new ParallelOptions
                { MaxDegreeOfParallelism = group.Key ? Environment.ProcessorCount : 2 * Environment.ProcessorCount };
            await Parallel.ForEachAsync(group, several, async (one, _) => await act(one));
        }
    }

    // What explores has its processor for a long time anyway; what ends its process would take others along.
    private static bool NeedsOwnProcess(Bug bug) => Harness.Parse(bug.Harnesses[0]).IsExploring || bug.IsDecoy
        || bug.Symptom.Ending is Outcome.Crash or Outcome.Hang;

    private static string Shorten(string text) => text.Length <= 230 ? text : text[..230] + "...";

    [GeneratedRegex(@"\bseed (\d+)")]
    private static partial Regex Seed();
}
