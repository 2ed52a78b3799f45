using System.Globalization;
using System.Text.RegularExpressions;
using Ambrosia.Packages.Tests.Support;

namespace Ambrosia.Packages.Tests;

/// <summary>docs/guide/tutorial.md, step by step: its commands and its code are run, and what it prints must come.</summary>
[Collection(OneNewcomer.Name)]
public sealed partial class TutorialTests(Newcomer newcomer)
{
    private const int Refused = 78;
    private static readonly string s_page = Repository.Text("docs/guide/tutorial.md");
    private readonly string _folder = Directory.CreateDirectory(Path.Combine(newcomer.Folder, "tutorial")).FullName;

    private string Counter => Path.Combine(_folder, "Shop", "Counter.cs");

    private string Command => Path.Combine(_folder, "tools", "ambrosia");

    [Fact]
    public async Task The_tutorial_does_what_it_says()
    {
        await SucceedAsync("dotnet new immortal -o Shop");
        Child app = await RunAsync("Total: 0.");
        await AddAsync(app, 5, "Total: 5");
        await AddAsync(app, 7, "Total: 12");
        await KillAsync(app);
        app = await RunAsync("Total: 12.");
        Assert.Contains("records, 4 messages since its checkpoint", app.Output, StringComparison.Ordinal);
        await StopAsync(app);
        await ChangeTheClassAsync();
        await UpgradeItAsync();
    }

    private async Task ChangeTheClassAsync()
    {
        string[] edit = CodeIn("## 3.").Split('\n', StringSplitOptions.RemoveEmptyEntries);
        await EditAsync("    private int _total;", $"{edit[0]}\n{edit[1]}");
        await EditAsync("    public override DurableTask<int> Add(int amount) => _total += amount;", edit[^1]);
        Child app = await RunAsync("Total: 12.");
        Assert.Contains("Add(System.Int32) does something else now", app.Output, StringComparison.Ordinal);
        await AddAsync(app, 5, "Total: 18");
        await KillAsync(app);

        await EditAsync("amount + _bonus", "amount + 2 * _bonus");
        Child refused = Start("dotnet run --project Shop");
        string reason = await refused.EndAsync();
        Assert.Equal(Refused, refused.ExitCode);
        Assert.Contains("this build does not fit the log; nothing was sent or changed (IC-5005)", reason, StringComparison.Ordinal);
        Assert.Matches("other code: message .*, which was executed before: Add", reason);
        Assert.Matches("accept exactly this: --accept [0-9a-f]+", reason);

        await EditAsync("amount + 2 * _bonus", "amount + _bonus");
        await StopAsync(await RunAsync("Total: 18."));
        await EditAsync("amount + _bonus", "amount + 2 * _bonus");
        app = await RunAsync("Total: 18.");
        await AddAsync(app, 5, "Total: 25");
        await StopAsync(app);
    }

    private async Task UpgradeItAsync()
    {
        await SucceedAsync("dotnet publish Shop -o v1");
        // The page installs it for the user; a test must not.
        await SucceedAsync($"dotnet tool install Ambrosia.Cli --tool-path tools --version {Repository.Version}");
        string[] code = [.. Code().Matches(SectionOf("## 4.")).Select(static block => block.Groups[1].Value)];
        await File.WriteAllTextAsync(Path.Combine(_folder, "Shop", "Ledger.cs"), code[0]);
        await File.WriteAllTextAsync(Path.Combine(_folder, "Shop", "Program.cs"), code[1]);
        await EditAsync("    private int _total;", "    private int _total;\n\n    public int Total => _total;\n");
        await SucceedAsync("dotnet publish Shop -o v2");

        Child first = Start($"{Command} run Shop -- dotnet v1/Shop.dll");
        await first.SaysAsync("Total: 25.");
        Child second = Start($"{Command} upgrade Shop -- dotnet v2/Shop.dll");
        await second.SaysAsync("Shop: Shop.Counter became Shop.Ledger after record");
        string ready = await second.SaysAsync("Total: 25.");
        await AddAsync(second, 4, "Total: 29");
        await first.SaysAsync("another app has taken this one's place; this terminal keeps the coordinator");
        Child.Kill(ProcessIn(ready));
        await second.SaysAsync("app ended with code 137; starting it again");
        await second.SaysAsync("Total: 29.");

        Child debug = Start($"{Command} debug Shop -- dotnet v2/Shop.dll");
        await debug.TypeAsync("state");
        await debug.SaysAsync("\"_total\": 25");
        await debug.SaysAsync("\"_bonus\": 1");
        await debug.TypeAsync("quit");
        Child.Stop(second.Id);
        Child.Stop(first.Id);
        await second.EndAsync();
        await first.EndAsync();
    }

    private async Task<Child> RunAsync(string ready)
    {
        Child app = Start("dotnet run --project Shop");
        await app.SaysAsync(ready);
        return app;
    }

    private static async Task AddAsync(Child app, int amount, string total)
    {
        await app.TypeAsync(amount.ToString(CultureInfo.InvariantCulture));
        await app.SaysAsync(total);
    }

    private static async Task KillAsync(Child app)
    {
        Child.Kill(ProcessIn(app.Output));
        await app.EndAsync();
    }

    private static async Task StopAsync(Child app)
    {
        Child.Stop(ProcessIn(app.Output));
        await app.EndAsync();
    }

    private async Task EditAsync(string before, string after)
    {
        string code = await File.ReadAllTextAsync(Counter);
        Assert.Contains(before, code, StringComparison.Ordinal);
        await File.WriteAllTextAsync(Counter, code.Replace(before, after, StringComparison.Ordinal));
    }

    // Beside the other tests' instance of that name.
    private Child Start(string line) => newcomer.Start(
        _folder, line, ("AMBROSIA_HOME", Path.Combine(_folder, "home")), ("XDG_RUNTIME_DIR", _folder));

    private async Task SucceedAsync(string line)
    {
        Child child = Start(line);
        string output = await child.EndAsync();
        Assert.True(child.ExitCode == 0, $"{line} ended with code {child.ExitCode}:\n{output}");
    }

    private static string SectionOf(string heading) => s_page.Split(heading)[1].Split("\n## ")[0];

    private static string CodeIn(string heading) => Code().Match(SectionOf(heading)).Groups[1].Value;

    private static int ProcessIn(string text) => int.Parse(Number().Matches(text)[^1].Groups[1].Value, CultureInfo.InvariantCulture);

    [GeneratedRegex("```csharp\n(.*?)```", RegexOptions.Singleline)]
    private static partial Regex Code();

    [GeneratedRegex(@"kill -9 (\d+)")]
    private static partial Regex Number();
}
