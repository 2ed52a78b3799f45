using System.Diagnostics;
using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>Many clients of one server, coordinators in the app's process beside those that have a process of their own.</summary>
public sealed class ManyClientsTests(ITestOutputHelper output)
{
    private const int Kills = 20;

    [Theory]
    [InlineData(nameof(Layout.InProcess))]
    [InlineData(nameof(Layout.Sidecar))]
    public async Task Four_clients_in_all_layouts_and_their_server_are_killed_and_each_request_runs_once(string server)
    {
        await using var sandbox = new Sandbox(output);
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        var watch = Stopwatch.StartNew();
        NodeUnderTest[] clients = [.. Enum.GetValues<Layout>()
            .Select(layout => new NodeUnderTest(sandbox, "c" + (int)layout, layout, NodeSettings.Small))];
        NodeUnderTest[] nodes = [.. clients, new(sandbox, "server", Enum.Parse<Layout>(server), NodeSettings.Small)];
        var history = new History();
        var load = new Load(history, clients, Settings.Seed, clientsPerNode: 2) { Servers = [nodes[^1]] };
        await using var supervisor = new Supervisor(nodes, history);
        var chaos = new Chaos(sandbox, nodes, supervisor, Settings.Seed);
        supervisor.Start();
        await chaos.RecoverAsync(nodes);
        load.Start();
        while (chaos.Kills < Kills)
        {
            await chaos.KillSomebodyAsync();
        }

        await chaos.RecoverAsync(nodes);
        await load.StopAsync(TimeSpan.FromSeconds(60));
        (IReadOnlyList<string> violations, IReadOnlyDictionary<string, NodeReport> reports) =
            await Auditor.AuditAsync(history, nodes, TimeSpan.FromSeconds(60));
        sandbox.Say(chaos.Summary);
        sandbox.Say($"{history.Count} requests, {history.Answered} answered; {watch.Elapsed.TotalSeconds:0} s.");
        Assert.Empty(violations.Take(50));
        Assert.All(clients, client =>
            Assert.True(reports["server"].Received.GetValueOrDefault(client.Name) > 0, $"{client.Name} never reached the server"));
        await supervisor.StopAsync();
        await sandbox.PassedAsync();
    }
}
