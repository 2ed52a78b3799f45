using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>An instance that goes from a machine to another whose users write numbers, letters and lists differently. Real cultures: they
/// need ICU.</summary>
public sealed class CultureTests(ITestOutputHelper output)
{
    private const string Instance = "traveller";

    [Fact]
    public async Task Handlers_do_the_same_in_every_culture_and_a_replay_in_another_one_comes_to_the_same_state()
    {
        await using var sandbox = new Sandbox(output);
        string first = Assert.Single(await LiveAsync(sandbox, "tr_TR", "r1"));
        string[] all = await LiveAsync(sandbox, "de_DE", "r2");
        Assert.Equal([first, "r2" + first[2..]], all);
        await sandbox.PassedAsync();
    }

    // One life of app and coordinator; what the state has noted at its end.
    private static async Task<string[]> LiveAsync(Sandbox sandbox, string locale, string request)
    {
        var node = new NodeUnderTest(sandbox, Instance, Layout.Sidecar, new NodeSettings
            { Launcher = ["env", $"LC_ALL={locale}.UTF-8"], CoordinatorArguments = ["--retain", "all"] });
        node.Start();
        Assert.Equal(locale.Replace('_', '-'), await node.AskAsync("culture")); // What is the app's own stays the machine's.
        Assert.Equal("3", await node.AskAsync($"submit {request} Culture {Instance} 0"));
        NodeReport report = await node.ReportAsync();
        Assert.Empty(report.Violations);
        await node.KillAsync(Side.App);
        await node.KillAsync(Side.Coordinator);
        return [.. report.Effects.Keys.Where(static effect => effect.Contains('/', StringComparison.Ordinal))
            .Order(StringComparer.Ordinal)];
    }
}
