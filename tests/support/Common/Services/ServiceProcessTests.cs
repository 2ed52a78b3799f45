using System.Diagnostics;
using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.Primitives.Errors;
using Ambrosia.Replicas.Tests.Running;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.Services;

/// <summary>Real coordinators and apps whose logs lie in a service: alone and as replicas, killed, stopped past their lease, moved (G1, G7,
/// G9). Every such store runs all of it.</summary>
public abstract class ServiceProcessTests(ITestOutputHelper output)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(90);

    /// <summary>The service, for people.</summary>
    protected abstract string Title { get; }

    /// <summary>Report that figures are added to.</summary>
    protected abstract string ReportName { get; }

    /// <summary>What no output may hold.</summary>
    protected abstract string Secret { get; }

    /// <summary>Kills of random processes, with and without AMBROSIA_SOAK=1.</summary>
    protected static int KillsOf(int usual) => Soak ? 300 : usual;

    private protected static bool Soak => Environment.GetEnvironmentVariable("AMBROSIA_SOAK") == "1";

    /// <summary>Kills of one of two coordinators with apps.</summary>
    protected abstract int Kills { get; }

    /// <summary>Environment that every process needs to reach the store.</summary>
    protected abstract (string Name, string Value) Login { get; }

    /// <summary>Settings of nodes that share a place of the store which nobody else uses.</summary>
    /// <param name="place">A name in lower case.</param>
    /// <param name="lease">Time of a lease, if the service grants one so short; else its shortest.</param>
    private protected abstract NodeSettings NodeOf(string place, TimeSpan lease);

    /// <summary>Names and lengths of all segments but the newest of each instance whose name begins like this: only a superseded primary
    /// could still write them. In an order that new ones follow.</summary>
    private protected abstract Task<string> OldSegmentsAsync(string place, string prefix);

    [Fact]
    public async Task Nothing_is_lost_repeated_or_reordered_while_processes_are_killed()
    {
        await using var sandbox = new Sandbox(output);
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        NodeSettings settings = NodeOf("killed", TimeSpan.FromSeconds(5));
        NodeUnderTest[] nodes = [new(sandbox, "n1", Layout.Sidecar, settings), new(sandbox, "n2", Layout.Sidecar, settings)];
        var history = new History();
        var load = new Load(history, nodes, Settings.Seed, clientsPerNode: 3);
        await using var supervisor = new Supervisor(nodes, history);
        var chaos = new Chaos(sandbox, nodes, supervisor, Settings.Seed);
        supervisor.Start();
        await chaos.RecoverAsync(nodes);
        load.Start();
        while (chaos.Kills < Kills)
        {
            await chaos.KillSomebodyAsync();
            await chaos.RecoverAsync(nodes);
        }

        await load.StopAsync(s_patience);
        (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, nodes, s_patience);
        Say(sandbox, $"{chaos.Summary} {history.Count} requests, {history.Answered} answered");
        Assert.Empty(violations.Take(50));
        Assert.True(history.Answered > chaos.Kills, "the clients got next to nothing done");
        await AskAsync(settings, ["log", "show", "n1"], "Submit("); // Named by what the app told, which lies in the service.
        await Admin.PageTellsAsync(nodes[0], "\"Submit\"");
        await AskAsync(settings, ["log", "verify", "n1"], "n1");
        await AskAsync(settings, ["checkpoint", "list", "n1"], "LSN");
        await AskAsync(settings, ["status", "n1"], "running");
        await supervisor.StopAsync();
        RequireNoSecretIn(sandbox);
        await AskAsync(settings, ["retest", "n1", "--normal-priority", "--json", "--", Executables.App], "messages", nodes[0]);
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task Primaries_that_were_stopped_past_their_lease_are_taken_over_and_nothing_of_them_is_accepted_when_they_go_on()
    {
        const int together = 5; // A lease of Azure lasts 15 s at least: several are waited for at once.
        int rounds = Soak ? 10 : 1;
        await using var sandbox = new Sandbox(output);
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        NodeSettings settings = NodeOf("stopped", TimeSpan.FromSeconds(4));
        NodeUnderTest caller = new(sandbox, "caller", Layout.Sidecar, settings);
        NodeUnderTest[] counters = [.. Enumerable.Range(1, together)
            .Select(i => new NodeUnderTest(sandbox, $"counter{i}", Layout.Sidecar, settings))];
        var history = new History();
        NodeUnderTest[] serving = [caller, .. counters];
        await using var supervisor = new Supervisor(serving, history);
        supervisor.Start();
        await ServeAsync(serving);
        var load = new Load(history, [caller], Settings.Seed, clientsPerNode: 4) { Servers = counters };
        load.Start();
        var silences = new List<double>();
        for (int round = 1; round <= rounds; round++)
        {
            NodeUnderTest[] zombies = counters;
            NodeSettings elsewhere = settings with { Place = round.ToString(CultureInfo.InvariantCulture) };
            counters = [.. zombies.Select(zombie => new NodeUnderTest(sandbox, zombie.Name, Layout.Sidecar, elsewhere))];
            await Task.WhenAll(zombies.Select(static zombie => zombie.Coordinator!.StopAsync()));
            counters.CopyTo(serving, 1); // From now on the supervisor looks after these instead.
            silences.AddRange(await ServeAsync(counters));
            await WakeAsync(zombies, "stopped");
        }

        await load.StopAsync(s_patience);
        (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, serving, s_patience);
        await supervisor.StopAsync();
        silences.Sort();
        Say(sandbox, string.Create(CultureInfo.InvariantCulture,
            $"{rounds * together} primaries stopped past their lease and replaced, median {silences[silences.Count / 2]:0} ms, longest "
            + $"{silences[^1]:0} ms; {history.Answered} requests answered"));
        Assert.Empty(violations.Take(50));
        RequireNoSecretIn(sandbox);
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task Of_three_replicas_one_serves_whenever_the_primary_is_killed_and_nothing_is_lost_or_doubled()
    {
        await using var sandbox = new Sandbox(output);
        NodeSettings settings = NodeOf("replicas", TimeSpan.FromSeconds(5));
        Say(sandbox, "three replicas, " + await Failovers.KillAsync(sandbox, settings, Soak ? 30 : 5));
        await AskUntilAsync(settings, ["status", "bank"], "checkpointer, process"); // Who makes them died, or was promoted, a moment ago.
        RequireNoSecretIn(sandbox);
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task Of_three_replicas_one_serves_when_the_lease_of_a_stopped_primary_is_over_and_its_epoch_is_refused_when_it_goes_on()
    {
        await using var sandbox = new Sandbox(output);
        NodeSettings settings = NodeOf("zombies", TimeSpan.FromSeconds(4));
        Say(sandbox, "three replicas, "
            + await Failovers.StopAsync(sandbox, settings, Soak ? 10 : 1, () => OldSegmentsAsync("zombies", "bank")));
        await sandbox.PassedAsync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_instance_is_moved_there_and_back_under_load_and_nothing_is_lost_or_doubled(bool replicas)
    {
        await using var sandbox = new Sandbox(output);
        NodeSettings settings = NodeOf(replicas ? "movedreplicas" : "moved", TimeSpan.FromSeconds(5));
        IReadOnlyList<NodeUnderTest> places = replicas ? ReplicaSet.Make(sandbox, "bank", settings, count: 2).All
            : Moves.PlacesOf(sandbox, settings);
        Say(sandbox, $"moved {(replicas ? "with" : "without")} replicas: "
            + await Moves.RunAsync(sandbox, places, settings, Soak ? 20 : 2));
        await sandbox.PassedAsync();
    }

    /// <summary>The time that each takes until it serves, in milliseconds. Their supervisor starts them.</summary>
    private static async Task<double[]> ServeAsync(NodeUnderTest[] nodes)
    {
        var watch = Stopwatch.StartNew();
        return await Task.WhenAll(nodes.Select(async node =>
        {
            await node.AskAsync("save", s_patience);
            return watch.Elapsed.TotalMilliseconds;
        }));
    }

    /// <summary>Lets stopped primaries go on whose places have been taken: they end, and leave no byte.</summary>
    private async Task WakeAsync(NodeUnderTest[] zombies, string place)
    {
        string before = await OldSegmentsAsync(place, "counter");
        foreach (NodeUnderTest zombie in zombies)
        {
            zombie.Coordinator!.Signal(Posix.Continue);
        }

        foreach (NodeUnderTest zombie in zombies)
        {
            await zombie.Coordinator!.Exited.WaitAsync(s_patience);
            Assert.True(zombie.Coordinator.ExitCode == (int)ExitCode.LeaseLost, zombie.Coordinator.Output);
            await zombie.KillAsync(Side.App);
        }

        Assert.Equal(before, await OldSegmentsAsync(place, "counter"));
    }

    private void Say(Sandbox sandbox, string line)
    {
        sandbox.Say(line);
        Ambrosia.EndToEnd.Tests.Driving.Report.Add(ReportName, $"{Title}: {line}");
    }

    /// <summary>What the processes wrote into logs and sockets' folder.</summary>
    private void RequireNoSecretIn(Sandbox sandbox)
    {
        string[] texts = [.. Directory.EnumerateFiles(Path.Combine(sandbox.Folder, "logs")).Select(ReadWhileWritten)];
        Assert.Contains(texts, static text => text.Length > 0);
        Assert.All(texts, text => Assert.DoesNotContain(Secret, text, StringComparison.Ordinal));
    }

    private static string ReadWhileWritten(string file)
    {
        using var reader = new StreamReader(new FileStream(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite));
        return reader.ReadToEnd();
    }

    private async Task AskAsync(NodeSettings settings, string[] words, string expected, NodeUnderTest? replayed = null) =>
        Assert.Contains(expected, await SayAsync(settings, words, replayed), StringComparison.OrdinalIgnoreCase);

    private async Task AskUntilAsync(NodeSettings settings, string[] words, string expected)
    {
        var waited = Stopwatch.StartNew();
        string said = await SayAsync(settings, words);
        while (!said.Contains(expected, StringComparison.OrdinalIgnoreCase))
        {
            Assert.True(waited.Elapsed < s_patience, said);
            await Task.Delay(200);
            said = await SayAsync(settings, words);
        }
    }

    private async Task<string> SayAsync(NodeSettings settings, string[] words, NodeUnderTest? replayed = null)
    {
        string[] store = ["--store", settings.Store!, "--catalog", settings.Catalog!];
        int program = Array.IndexOf(words, "--");
        var start = new ProcessStartInfo(Executables.Command, program < 0 ? [.. words, .. store]
            : [.. words[..program], .. store, .. words[program..]])
        {
            RedirectStandardOutput = true, RedirectStandardError = true, RedirectStandardInput = true,
        };
        start.Environment[Login.Name] = Login.Value;
        start.Environment["E2E_GATE"] = replayed?.GatePath;
        start.Environment["E2E_VERSION"] = replayed?.ReplayVersion;
        using Process command = Process.Start(start)!;
        Task<string> complained = command.StandardError.ReadToEndAsync();
        string said = await command.StandardOutput.ReadToEndAsync();
        await command.WaitForExitAsync();
        Assert.True(command.ExitCode == 0, $"{string.Join(' ', words)}: {command.ExitCode}\n{said}\n{await complained}");
        Assert.DoesNotContain(Secret, said + await complained, StringComparison.Ordinal);
        return said;
    }
}
