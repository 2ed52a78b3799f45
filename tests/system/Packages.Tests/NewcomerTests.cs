using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using Ambrosia.Packages.Tests.Support;
using Xunit.Abstractions;

namespace Ambrosia.Packages.Tests;

/// <summary>docs/guide/install.md, word for word.</summary>
[Collection(OneNewcomer.Name)]
public sealed partial class NewcomerTests(Newcomer newcomer, ITestOutputHelper output)
{
    private const int MostCommands = 4;

    [Fact]
    public async Task Four_commands_lead_from_the_template_to_an_immortal_that_was_killed_and_recovered()
    {
        string[] commands = [.. CommandsOf("A first immortal")];
        Assert.Equal(MostCommands, commands.Length);
        string shop = Path.Combine(newcomer.Folder, "Shop");
        var watch = Stopwatch.StartNew();
        await newcomer.SucceedAsync(newcomer.Folder, commands[0]);
        watch.Stop();
        await newcomer.SucceedAsync(shop, "dotnet restore"); // The clock is that of a machine that has the packages.
        watch.Start();

        Child first = newcomer.Start(newcomer.Folder, commands[1]);
        string ready = await first.SaysAsync("Total: 0.");
        await first.TypeAsync("5");
        await first.TypeAsync("7");
        await first.SaysAsync("Total: 12");
        Assert.Equal("kill -9 PID", commands[2]);
        Child.Kill(ProcessIn(ready));
        await first.EndAsync();
        Child second = newcomer.Start(newcomer.Folder, commands[3]);
        string again = await second.SaysAsync("Total: 12.");
        Report.Add(output, $"from the template to a killed and recovered immortal: {watch.Elapsed.TotalSeconds:F1} s, {MostCommands} "
            + $"commands (packages restored)");
        await second.SaysAsync("recovered in");

        await UpgradeAsync(shop, second, ProcessIn(again));
        Assert.Contains("Passed!", await newcomer.SucceedAsync(shop, "dotnet test tests"), StringComparison.Ordinal);
        await RunByTheCommandAsync(shop);
    }

    // Ctrl+C leaves a checkpoint, so the new code has nothing to execute again; the state goes along.
    private async Task UpgradeAsync(string shop, Child running, int process)
    {
        Child.Stop(process);
        await running.EndAsync();
        string code = Path.Combine(shop, "Counter.cs");
        string before = await File.ReadAllTextAsync(code);
        await File.WriteAllTextAsync(code, before
            .Replace("_total += amount;", "_total += 2 * amount + _extra;", StringComparison.Ordinal)
            .Replace("private int _total;", "private int _total;\n    private int _extra = 1;", StringComparison.Ordinal));
        Assert.NotEqual(before, await File.ReadAllTextAsync(code));

        Child upgraded = newcomer.Start(newcomer.Folder, "dotnet run --project Shop");
        string ready = await upgraded.SaysAsync("Total: 13.");
        await upgraded.TypeAsync("4");
        await upgraded.SaysAsync("Total: 22");
        Child.Stop(ProcessIn(ready));
        await upgraded.EndAsync();
        await File.WriteAllTextAsync(code, before);
    }

    // The tool has a coordinator of its own inside.
    private async Task RunByTheCommandAsync(string shop)
    {
        await newcomer.SucceedAsync(newcomer.Folder, $"dotnet tool install Ambrosia.Cli --tool-path tools --version {Repository.Version}");
        string command = Path.Combine(newcomer.Folder, "tools", "ambrosia");
        string app = Directory.GetFiles(Path.Combine(shop, "bin"), "Shop.dll", SearchOption.AllDirectories).First();
        Child run = newcomer.Start(newcomer.Folder, $"{command} run kept -- dotnet {app}");
        string ready = await run.SaysAsync("Total: 0.");
        Child.Kill(ProcessIn(ready));
        await run.SaysAsync("starting it again");
        await run.SaysAsync("recovered in");
        string doctor = (await newcomer.RunAsync(newcomer.Folder, $"{command} doctor")).Output;
        Assert.Matches("ok +coordinator +.*Ambrosia.ImmortalCoordinator.dll", doctor);
        Assert.Contains("kept", await newcomer.SucceedAsync(newcomer.Folder, $"{command} status"), StringComparison.Ordinal);
        Child.Stop(run.Id);
        await run.EndAsync();
        Assert.Contains("kept: stopped", run.Output, StringComparison.Ordinal);
    }

    private static int ProcessIn(string line) => int.Parse(Number().Match(line).Groups[1].Value, CultureInfo.InvariantCulture);

    // The first block of code below a heading, without comments.
    private static IEnumerable<string> CommandsOf(string heading)
    {
        string section = Repository.Text("docs/guide/install.md").Split($"## {heading}\n")[1];
        return section.Split("```")[1].Split('\n').Skip(1).Select(static line => line.Split('#')[0].Trim())
            .Where(static line => line.Length > 0);
    }

    [GeneratedRegex(@"kill -9 (\d+)")]
    private static partial Regex Number();
}
