using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>docs/internals/exactly-once.md H15: OnFirstStart runs exactly once, whatever dies during the first start.</summary>
public sealed class FirstStartTests(ITestOutputHelper output)
{
    [Fact]
    public async Task OnFirstStart_runs_once_whatever_point_of_the_first_start_is_died_at()
    {
        await using var sandbox = new Sandbox(output);
        (Side Side, string Point)[] points =
            [.. FailpointPlan.FirstStartOfCoordinator.Select(static p => (Side.Coordinator, p)),
                .. FailpointPlan.FirstStartOfApp.Select(static p => (Side.App, p))];
        // Each is an instance of its own and waits for the start of processes most of the time: two at once.
        await Parallel.ForEachAsync(Enumerable.Range(0, points.Length), new ParallelOptions { MaxDegreeOfParallelism = 2 },
            async (i, _) => await DieAndComeBackAsync(sandbox, $"first{i}", points[i].Side, points[i].Point));

        sandbox.Say($"{points.Length} SIGKILLs during first starts: {string.Join(' ', points.Select(static p => p.Point))}");
        await sandbox.PassedAsync();
    }

    private static async Task DieAndComeBackAsync(Sandbox sandbox, string name, Side side, string point)
    {
        var node = new NodeUnderTest(sandbox, name, Layout.Sidecar, NodeSettings.Small);
        Child coordinator = node.StartCoordinator(side == Side.Coordinator ? point : "");
        Child app = node.StartApp(side == Side.App ? point : "");
        Child dying = side == Side.Coordinator ? coordinator : app;
        await Wait.UntilAsync($"{name} dies at {point}", () => dying.HasExited, TimeSpan.FromSeconds(30));
        Assert.Equal(Child.Killed, dying.ExitCode);

        node.Start();
        await node.AskAsync($"submit {name} Self {name} 0");
        NodeReport report = await node.ReportAsync();
        Assert.Equal((1, 1, 1), (report.FirstStarts, (int)report.Begun, (int)report.Ended));
        Assert.Empty(report.Violations);
        await node.KillAsync(Side.App);
        await node.KillAsync(Side.Coordinator);
    }
}
