using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.Fuzz.Tests.Targets;
using Xunit.Abstractions;

namespace Ambrosia.Fuzz.Tests;

/// <summary>G14: whatever the bytes are, a parser reads them or refuses them with its documented exception, in memory proportional to
/// them.</summary>
public sealed class ParserFuzzTests(ITestOutputHelper output)
{
    [Fact]
    public async Task Every_parser_reads_or_refuses_whatever_it_is_given_and_keeps_its_properties()
    {
        var fuzzer = new Fuzzer(Settings.Seed, Settings.Count("AMBROSIA_FUZZ_INPUTS", 300_000, 4_000_000, 1_000_000_000));
        Finding? stuck = await fuzzer.RunAsync();
        string report = fuzzer.Report();
        output.WriteLine(report);
        Settings.Report("parsers", report);
        Finding[] findings = [.. fuzzer.Findings, .. stuck is null ? [] : new[] { stuck }];
        foreach (Finding finding in findings)
        {
            Corpus.Append(finding.Target, [(Corpus.OnceFailed, finding.Input)]);
        }

        Assert.True(findings.Length == 0, string.Join("\n\n", findings.Select(static finding => finding.ToString())));
        output.WriteLine(RequireKnownOutcomes(fuzzer));
    }

    [Fact]
    public void Every_input_of_the_corpus_still_has_the_outcome_that_it_is_kept_for()
    {
        var wrong = new List<string>();
        int inputs = 0;
        foreach (FuzzTarget target in AllTargets.Make())
        {
            var shard = new FuzzShard(target, 1);
            foreach ((string expected, byte[] input) in Corpus.Load(target.Name))
            {
                inputs++;
                string outcome = Outcomes.PlainOf(shard.Execute(input, measured: false));
                if (outcome != expected && expected != Corpus.OnceFailed)
                {
                    wrong.Add($"{target.Name}: '{outcome}' instead of '{expected}' for {Corpus.Print(input)}");
                }
            }

            wrong.AddRange(shard.Findings.Select(static finding => finding.ToString()));
        }

        Assert.True(inputs > 150, $"The corpus holds {inputs} inputs only.");
        Assert.True(wrong.Count == 0, string.Join("\n", wrong));
    }

    [Fact]
    public void One_input_by_hand()
    {
        string text = Environment.GetEnvironmentVariable("AMBROSIA_FUZZ_INPUT") ?? "varint:80";
        FuzzTarget target = AllTargets.Make().Single(target => target.Name == text.Split(':')[0]);
        var shard = new FuzzShard(target, 1);
        string outcome = shard.Execute(Corpus.Parse(text.Split(':')[1]), measured: true);
        output.WriteLine($"{target.Name}: {outcome}");
        Assert.Empty(shard.Findings);
    }

    /// <summary>Each outcome that is known must be reached: a refusal that nobody ever sees is not tested. New ones are shown, and kept
    /// when asked for.</summary>
    private static string RequireKnownOutcomes(Fuzzer fuzzer)
    {
        var missing = new List<string>();
        var added = new List<string>();
        foreach ((string target, Outcomes outcomes) in fuzzer.Outcomes)
        {
            string[] known = [.. Corpus.Load(target).Select(static entry => entry.Expected)
                .Where(static expected => expected != Corpus.OnceFailed)];
            string[] reached = [.. outcomes.All.Select(static entry => entry.Name)];
            missing.AddRange(known.Except(reached).Select(outcome => $"{target}: nothing led to '{outcome}'"));
            string[] fresh = [.. reached.Except(known)];
            added.AddRange(fresh.Select(outcome => $"{target}: '{outcome}'"));
            if (Settings.Recording)
            {
                Corpus.Append(target, fuzzer.Firsts.Where(first => first.Target == target && fresh.Contains(first.Outcome))
                    .Select(static first => (first.Outcome, first.Input)));
            }
        }

        Assert.True(missing.Count == 0, string.Join("\n", missing));
        return added.Count == 0 ? ""
            : $"outcomes that no input is kept for yet (AMBROSIA_FUZZ_RECORD=1 keeps one for each):\n    {string.Join("\n    ", added)}\n";
    }
}
