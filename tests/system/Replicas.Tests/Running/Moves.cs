using System.Diagnostics;
using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;

namespace Ambrosia.Replicas.Tests.Running;

/// <summary>An instance that is moved from one place to another under load, on any store.</summary>
internal static class Moves
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    /// <summary>Two places that run a bank without replicas.</summary>
    public static NodeUnderTest[] PlacesOf(Sandbox sandbox, NodeSettings settings) =>
        [.. new[] { ".here", ".there" }.Select(place =>
            new NodeUnderTest(sandbox, "bank", Layout.Sidecar, settings with { Place = place, SharesGate = true }))];

    /// <summary>Moves it to and fro by coordinators that ask for the place. Returns what was measured, in one line.</summary>
    public static async Task<string> RunAsync(Sandbox sandbox, IReadOnlyList<NodeUnderTest> places, NodeSettings settings, int moves)
    {
        NodeUnderTest teller = new(sandbox, "teller", Layout.Sidecar, settings);
        NodeUnderTest serving = places[0];
        var history = new History();
        var prober = new Prober(history, teller, "bank") { Event = "hand-over" };
        serving.Start();
        teller.Start();
        await prober.ReachAsync();
        var load = new Load(history, [serving, teller], Settings.Seed, clientsPerNode: 2);
        load.Start();
        for (int move = 0; move < moves; move++)
        {
            NodeUnderTest next = places.Single(place => place != serving);
            Child old = serving.Coordinator!;
            next.StartCoordinator("", "--take-over");
            if (next.App is null or { HasExited: true })
            {
                next.StartApp();
            }

            await Wait.UntilAsync("the old one hands over", () =>
                old.Output.Contains("asks for this one's place", StringComparison.Ordinal), s_patience);
            var since = Stopwatch.StartNew();
            await prober.ReachAsync(since);
            await old.Exited.WaitAsync(s_patience);
            Assert.Equal(0, old.ExitCode);
            serving = next;
        }

        await load.StopAsync(s_patience);
        (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, [serving, teller], s_patience);
        string summary = $"{prober.Summary}; {history.Count} requests, {history.Answered} answered, {violations.Count} violations";
        sandbox.Say(summary);
        Assert.Empty(violations.Take(50));
        Assert.True(history.Answered > moves * 10, "the clients got next to nothing done");
        return summary;
    }
}
