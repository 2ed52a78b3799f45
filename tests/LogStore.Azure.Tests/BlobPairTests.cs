using System.Diagnostics;
using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.LogStore.Azure.Tests.Support;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.LogStore.Azure.Tests;

/// <summary>Real coordinators and apps whose logs are in blobs and whose catalog is a table (G1, G7, G9).</summary>
[Collection("azurite")]
public sealed class BlobPairTests(Azurite azurite, ITestOutputHelper output)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(90);

    private static bool Soak => Environment.GetEnvironmentVariable("AMBROSIA_SOAK") == "1";

    [Fact]
    public async Task Nothing_is_lost_repeated_or_reordered_while_processes_are_killed()
    {
        int kills = Soak ? 300 : 8;
        await using var sandbox = new Sandbox(output);
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        NodeSettings settings = NodeOf(azurite.BlobUri("killed"), azurite.TableUri("killed"));
        NodeUnderTest[] nodes = [new(sandbox, "n1", Layout.Sidecar, settings), new(sandbox, "n2", Layout.Sidecar, settings)];
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
        Say(sandbox, $"Azurite: {chaos.Summary} {history.Count} requests, {history.Answered} answered");
        Assert.Empty(violations.Take(50));
        Assert.True(history.Answered > chaos.Kills, "the clients got next to nothing done");
        await AskTheCommandAsync(nodes[0], settings, ["log", "show", "n1"], "n1");
        await AskTheCommandAsync(nodes[0], settings, ["log", "verify", "n1"], "n1");
        await AskTheCommandAsync(nodes[0], settings, ["checkpoint", "list", "n1"], "LSN");
        await AskTheCommandAsync(nodes[0], settings, ["status", "n1"], "running");
        await supervisor.StopAsync();
        RequireNoSecretIn(sandbox);
        await AskTheCommandAsync(nodes[0], settings, ["retest", "n1", "--normal-priority", "--json", "--", Executables.App], "messages");
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task Primaries_that_were_stopped_past_their_lease_are_taken_over_and_nothing_of_them_is_accepted_when_they_go_on()
    {
        const int together = 5; // A lease of Azure lasts 15 s at least: several are waited for at once.
        int rounds = Soak ? 10 : 1;
        await using var sandbox = new Sandbox(output);
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        NodeSettings settings = NodeOf(azurite.BlobUri("stopped"), azurite.TableUri("stopped"));
        NodeUnderTest caller = new(sandbox, "caller", Layout.Sidecar, settings);
        NodeUnderTest[] counters = [.. Enumerable.Range(1, together).Select(i => new NodeUnderTest(sandbox, $"counter{i}", Layout.Sidecar, settings))];
        caller.Start();
        await StartAsync([caller, .. counters]);
        var history = new History();
        var load = new Load(history, [caller], Settings.Seed, clientsPerNode: 4) { Servers = counters };
        load.Start();
        var silences = new List<double>();
        for (int round = 1; round <= rounds; round++)
        {
            NodeUnderTest[] zombies = counters;
            await Task.WhenAll(zombies.Select(static zombie => zombie.Coordinator!.StopAsync()));
            var watch = Stopwatch.StartNew();
            NodeSettings elsewhere = settings with { Place = round.ToString(CultureInfo.InvariantCulture) };
            counters = [.. zombies.Select(zombie => new NodeUnderTest(sandbox, zombie.Name, Layout.Sidecar, elsewhere))];
            await Task.WhenAll(counters.Select(async counter =>
            {
                await StartAsync([counter]);
                lock (silences)
                {
                    silences.Add(watch.Elapsed.TotalMilliseconds);
                }
            }));
            string before = await OldSegmentsAsync();
            foreach (NodeUnderTest zombie in zombies)
            {
                zombie.Coordinator!.Signal(Posix.Continue);
            }

            foreach (NodeUnderTest zombie in zombies)
            {
                await zombie.Coordinator!.Exited.WaitAsync(s_patience);
                Assert.True(zombie.Coordinator.ExitCode == (int)LogExitCode.LeaseLost, zombie.Coordinator.Output);
                await zombie.KillAsync(Side.App);
            }

            Assert.StartsWith(before, await OldSegmentsAsync(), StringComparison.Ordinal);
        }

        await load.StopAsync(s_patience);
        (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, [caller, .. counters], s_patience);
        silences.Sort();
        Say(sandbox, string.Create(CultureInfo.InvariantCulture,
            $"Azurite: {rounds * together} primaries stopped past their lease of 15 s and taken over, median {silences[silences.Count / 2]:0} ms, longest {silences[^1]:0} ms; {history.Answered} requests answered"));
        Assert.Empty(violations.Take(50));
        RequireNoSecretIn(sandbox);
        await sandbox.PassedAsync();
    }

    private static NodeSettings NodeOf(string store, string catalog) => NodeSettings.Small with
    {
        CoordinatorEnvironment = [("AZURE_STORAGE_KEY", Azurite.Key)],
        Store = store,
        Catalog = catalog,
    };

    private static async Task StartAsync(NodeUnderTest[] nodes)
    {
        foreach (NodeUnderTest node in nodes.Where(static node => node.Coordinator is null))
        {
            node.Start();
        }

        await Task.WhenAll(nodes.Select(static node => node.AskAsync("save", s_patience)));
    }

    /// <summary>The lengths of all segments that only a stopped primary could still write.</summary>
    private async Task<string> OldSegmentsAsync()
    {
        var items = await AzureWorld.Container(azurite.BlobUri("stopped")).ListAsync("counter");
        return string.Join('\n', items.Where(static item => item.Name.EndsWith(".seg", StringComparison.Ordinal)).GroupBy(static item => item.Name.Split('/')[0])
            .SelectMany(static group => group.OrderBy(static item => item.Name, StringComparer.Ordinal).SkipLast(1)).Select(static item => string.Create(CultureInfo.InvariantCulture, $"{item.Name}:{item.Properties.ContentLength}")));
    }

    private static void Say(Sandbox sandbox, string line)
    {
        sandbox.Say(line);
        Ambrosia.EndToEnd.Tests.Driving.Report.Add("LogStore.Azure", line);
    }

    /// <summary>What the processes wrote into logs and sockets' folder.</summary>
    private static void RequireNoSecretIn(Sandbox sandbox)
    {
        string[] texts = [.. Directory.EnumerateFiles(Path.Combine(sandbox.Folder, "logs")).Select(ReadWhileWritten)];
        Assert.Contains(texts, static text => text.Length > 0);
        Assert.All(texts, static text => Assert.DoesNotContain(Azurite.Key, text, StringComparison.Ordinal));
    }

    private static string ReadWhileWritten(string file)
    {
        using var reader = new StreamReader(new FileStream(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite));
        return reader.ReadToEnd();
    }

    private static async Task AskTheCommandAsync(NodeUnderTest node, NodeSettings settings, string[] words, string expected)
    {
        string[] store = ["--store", settings.Store!, "--catalog", settings.Catalog!];
        int program = Array.IndexOf(words, "--");
        var start = new ProcessStartInfo(Executables.Command, program < 0 ? [.. words, .. store] : [.. words[..program], .. store, .. words[program..]])
        {
            RedirectStandardOutput = true, RedirectStandardError = true, RedirectStandardInput = true,
        };
        start.Environment["AZURE_STORAGE_KEY"] = Azurite.Key;
        start.Environment["E2E_GATE"] = node.GatePath;
        start.Environment["E2E_VERSION"] = node.ReplayVersion;
        using Process command = Process.Start(start)!;
        Task<string> complained = command.StandardError.ReadToEndAsync();
        string said = await command.StandardOutput.ReadToEndAsync();
        await command.WaitForExitAsync();
        Assert.True(command.ExitCode == 0, $"{string.Join(' ', words)}: {command.ExitCode}\n{said}\n{await complained}");
        Assert.Contains(expected, said, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain(Azurite.Key, said + await complained, StringComparison.Ordinal);
    }
}
