using System.Diagnostics;
using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.LogStore.Postgres.Tests.Support;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.LogStore.Postgres.Tests;

/// <summary>Real coordinators and apps whose logs and catalog are in PostgreSQL (G1, G7, G9).</summary>
[Collection("server")]
public sealed class PostgresPairTests(PostgresServer server, ITestOutputHelper output)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    private static bool Soak => Environment.GetEnvironmentVariable("AMBROSIA_SOAK") == "1";

    [Fact]
    public async Task Nothing_is_lost_repeated_or_reordered_while_processes_are_killed()
    {
        int kills = Soak ? 300 : 12;
        await using var sandbox = new Sandbox(output);
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        NodeUnderTest[] nodes = [new(sandbox, "n1", Layout.Sidecar, NodeOf(server.UriOf("killed"))), new(sandbox, "n2", Layout.Sidecar, NodeOf(server.UriOf("killed")))];
        var history = new History();
        var load = new Load(history, nodes, Settings.Seed, clientsPerNode: 3);
        await using var supervisor = new Supervisor(nodes, history);
        var chaos = new Chaos(sandbox, nodes, supervisor, Settings.Seed);
        supervisor.Start();
        await chaos.RecoverAsync(nodes);
        load.Start();
        while (chaos.Kills < kills)
        {
            await chaos.KillSomebodyAsync();
            await chaos.RecoverAsync(nodes);
        }

        await load.StopAsync(s_patience);
        (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, nodes, s_patience);
        string line = $"PostgreSQL: {chaos.Summary} {history.Count} requests, {history.Answered} answered";
        sandbox.Say(line);
        Ambrosia.EndToEnd.Tests.Driving.Report.Add("LogStore.Postgres", line);
        Assert.Empty(violations.Take(50));
        Assert.True(history.Answered > chaos.Kills, "the clients got next to nothing done");
        await ReadWithTheCommandAsync(nodes[0], server.UriOf("killed"));
        await supervisor.StopAsync();
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_primary_that_was_stopped_past_its_lease_is_taken_over_and_nothing_of_it_is_accepted_when_it_goes_on()
    {
        int rounds = Soak ? 50 : 5;
        await using var sandbox = new Sandbox(output);
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        const string schema = "stopped";
        NodeUnderTest caller = new(sandbox, "caller", Layout.Sidecar, NodeOf(server.UriOf(schema)));
        NodeUnderTest counter = new(sandbox, "counter", Layout.Sidecar, NodeOf(server.UriOf(schema)));
        caller.Start();
        counter.Start();
        await caller.AskAsync("save");
        await counter.AskAsync("save");
        var history = new History();
        var load = new Load(history, [caller], Settings.Seed, clientsPerNode: 4) { Servers = [counter] };
        load.Start();
        var silences = new List<double>();
        for (int round = 1; round <= rounds; round++)
        {
            NodeUnderTest zombie = counter;
            await zombie.Coordinator!.StopAsync();
            var watch = Stopwatch.StartNew();
            counter = new(sandbox, "counter", Layout.Sidecar, NodeOf(server.UriOf(schema)) with { Place = round.ToString(CultureInfo.InvariantCulture) });
            counter.Start();
            await counter.AskAsync("save", s_patience);
            silences.Add(watch.Elapsed.TotalMilliseconds);
            string before = await OldPiecesAsync(schema);
            zombie.Coordinator.Signal(Posix.Continue);
            await zombie.Coordinator.Exited.WaitAsync(s_patience);
            Assert.True(zombie.Coordinator.ExitCode == (int)LogExitCode.LeaseLost, zombie.Coordinator.Output);
            Assert.Equal(before, await OldPiecesAsync(schema));
            await zombie.KillAsync(Side.App);
        }

        await load.StopAsync(s_patience);
        (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, [caller, counter], s_patience);
        silences.Sort();
        string line = string.Create(CultureInfo.InvariantCulture,
            $"PostgreSQL: {rounds} primaries stopped past their lease of 2 s and taken over, median {silences[rounds / 2]:0} ms, longest {silences[^1]:0} ms; {history.Answered} requests answered");
        sandbox.Say(line);
        Ambrosia.EndToEnd.Tests.Driving.Report.Add("LogStore.Postgres", line);
        Assert.Empty(violations.Take(50));
        await sandbox.PassedAsync();
    }

    private static NodeSettings NodeOf(string uri) => NodeSettings.Small with
    {
        CoordinatorArguments = [.. NodeSettings.Small.CoordinatorArguments, "--lease-duration", "2s"],
        CoordinatorEnvironment = [("PGPASSWORD", PostgresServer.Password)],
        Store = uri,
        Catalog = uri,
    };

    /// <summary>All segments but those of the newest epoch, which its holder may write: how long they are.</summary>
    private async Task<string> OldPiecesAsync(string schema) => (string)(await server.ScalarAsync(
        $"select string_agg(number || ':' || length, ' ' order by number) from {schema}.files f where kind = 'segment' and instance = 'counter' and number < (select max(number) from {schema}.files where kind = 'segment' and instance = 'counter')"))!;

    private static async Task ReadWithTheCommandAsync(NodeUnderTest node, string uri)
    {
        foreach (string[] words in (string[][])[["log", "show", node.Name], ["log", "verify", node.Name], ["status", node.Name]])
        {
            var start = new ProcessStartInfo(Executables.Command, [.. words, "--store", uri, "--catalog", uri]) { RedirectStandardOutput = true, RedirectStandardError = true, RedirectStandardInput = true };
            start.Environment["PGPASSWORD"] = PostgresServer.Password;
            using Process command = Process.Start(start)!;
            Task<string> complained = command.StandardError.ReadToEndAsync();
            string said = await command.StandardOutput.ReadToEndAsync();
            await command.WaitForExitAsync();
            Assert.True(command.ExitCode == 0, await complained);
            Assert.Contains(words[0] == "status" ? "running" : node.Name, said, StringComparison.Ordinal);
            Assert.DoesNotContain(PostgresServer.Password, said, StringComparison.Ordinal);
        }
    }
}
