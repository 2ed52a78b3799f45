using Ambrosia.Samples;

namespace Vouchers;

/// <summary>Has a day in the shop, notices in the evening that something is wrong, and finds out what, with three commands.</summary>
internal sealed class Demo(SampleRun run, string? keep)
{
    private const string Instance = "vouchers";
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);
    private readonly TaskCompletionSource<string> _evening = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // samples/TimeTravel/bin/Release/net8.0/ -> the same configuration of the command.
    private static string Ambrosia
    {
        get
        {
            string[] here = AppContext.BaseDirectory.TrimEnd(Path.DirectorySeparatorChar).Split(Path.DirectorySeparatorChar);
            return Path.Combine([.. here[..^5].Prepend("/"), "src", "Ambrosia", "bin", here[^2], here[^1], "ambrosia"]);
        }
    }

    private static string App => Path.Combine(AppContext.BaseDirectory, "Vouchers.dll");

    public async Task<bool> RunAsync()
    {
        SampleProcess shop = run.StartSelf([Instance, "--instance-name", Instance], Read);
        string evening = await _evening.Task.WaitAsync(s_patience, run.Stopping);
        shop.Kill();
        await shop.Exited;
        run.Say(Terminal.Bad($"In the evening: {evening}. No voucher may ever be worth less than nothing."));
        string card = evening.Split(' ')[1];
        string log = Path.Combine(run.Folder, "instances", Instance);
        if (keep is not null)
        {
            Copy(log, keep);
            run.Say($"The log lies in {keep}; docs/guide/debugging.md says how to go on.");
            return true;
        }

        string found = await AskAsync("1. Where did it happen?", 0, ["debug", Instance, "--log", log, "--until", $"state.cards.{card} < 0",
            "--script", Script("diff"), "--", "dotnet", App, Instance]);
        Expect(found, "reply of Enter", $"state._cards.{card}:");
        string story = await AskAsync("2. What happened to this voucher just then?", 0,
            ["log", "show", Instance, "--log", log, "--app", App, "--where", $"args.card == \"{card}\" and args.amount == 60"]);
        Expect(story, $"impulse Spend(card: \"{card}\", amount: 60)");
        run.Say(Terminal.Bold("   Both asked before either had paid: Spend looks at the voucher, awaits, and does not look again."));
        string proof = await AskAsync("3. Does the corrected version do anything else otherwise?", 65,
            ["retest", Instance, "--log", log, "--against", $"dotnet {App} {Instance}", "--", "dotnet", App, Instance, "--fixed"]);
        Expect(proof, "2 differences", "fork Refuse instead of fork Deliver");
        run.Say(Terminal.Good(
            "Found, understood, and the correction proven against the day on which it happened: it treats one message of all otherwise, "
            + "and leaves another state behind it."));
        return true;
    }

    private async Task<string> AskAsync(string question, int code, string[] words)
    {
        run.Say("");
        run.Say(Terminal.Bold(question));
        run.Say($"   $ ambrosia "
            + $"{string.Join(' ', words.Select(static word => word.Contains(' ', StringComparison.Ordinal) ? $"'{word}'" : word))}");
        var lines = new List<string>();
        SampleProcess command = run.Start(Ambrosia, words, line =>
        {
            lock (lines)
            {
                lines.Add(line);
            }

            run.Say("   " + line);
        });
        int ended = await command.Exited.WaitAsync(s_patience, run.Stopping);
        return ended == code ? string.Join('\n', lines)
            : throw new SampleException($"'ambrosia {words[0]}' ended with {ended}; expected was {code}.");
    }

    private static void Expect(string output, params string[] parts)
    {
        foreach (string part in parts.Where(part => !output.Contains(part, StringComparison.Ordinal)))
        {
            throw new SampleException($"Expected was '{part}'.");
        }
    }

    private string Script(string commands)
    {
        string path = Path.Combine(run.Folder, "commands.txt");
        File.WriteAllText(path, commands + "\n");
        return path;
    }

    private void Read(string line)
    {
        int at = line.IndexOf("closing time: ", StringComparison.Ordinal);
        if (at >= 0)
        {
            _evening.TrySetResult(line[(at + "closing time: ".Length)..]);
        }
    }

    // The lock belongs to a coordinator that may still be ending; a copy needs none.
    private static void Copy(string from, string to)
    {
        foreach (string file in Directory.EnumerateFiles(from, "*", SearchOption.AllDirectories)
            .Where(static path => Path.GetFileName(path) != "lock"))
        {
            string target = Path.Combine(to, Path.GetRelativePath(from, file));
            Directory.CreateDirectory(Path.GetDirectoryName(target)!);
            File.Copy(file, target, overwrite: true);
        }
    }
}
