using System.Diagnostics;
using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.PowerCut.Tests.Running;
using Ambrosia.PowerCut.Tests.Volumes;
using EndToEnd;

namespace Ambrosia.PowerCut.Tests.Machines;

/// <summary>Machines with coordinators and apps lose their power, one or all of them, while clients work; an auditor compares in the
/// end.</summary>
internal sealed class MachineCuts(Sandbox sandbox, IReadOnlyList<Machine> machines, History history, Random random)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(240);
    private readonly SortedDictionary<string, int> _cuts = new(StringComparer.Ordinal);
    private readonly List<double> _recoveries = [];

    private NodeUnderTest[] Nodes => [.. machines.SelectMany(static machine => machine.Nodes)];

    /// <summary>Returns the exit code.</summary>
    public static async Task<int> RunAsync(string place)
    {
        Console.WriteLine($"AMBROSIA_CUT_SEED={CutSettings.Seed} AMBROSIA_MACHINE_CUTS={CutSettings.MachineCuts}");
        var random = new Random(CutSettings.Seed);
        using Volume first = Volume.Create(VolumeKind.All[0], place, "m1");
        using Volume second = Volume.Create(VolumeKind.All[2], place, "m2");
        await using var sandbox = new Sandbox(new ConsoleOutput());
        Machine[] machines =
        [
            new(first, [Node(sandbox, "n1", first), Node(sandbox, "n2", first)], random),
            new(second, [Node(sandbox, "n3", second)], random),
        ];
        var history = new History();
        IReadOnlyList<string> violations = await new MachineCuts(sandbox, machines, history, random).RunAsync();
        foreach (Machine machine in machines)
        {
            await machine.StopAsync();
        }

        foreach (string line in violations.Take(50))
        {
            Console.WriteLine("VIOLATION " + line);
        }

        if (violations.Count == 0)
        {
            sandbox.Passed();
        }

        return violations.Count == 0 ? 0 : 1;
    }

    private async Task<IReadOnlyList<string>> RunAsync()
    {
        var watch = Stopwatch.StartNew();
        var load = new Load(history, Nodes, CutSettings.Seed, clientsPerNode: 3);
        foreach (Machine machine in machines)
        {
            machine.Start();
        }

        await ServeAsync(Nodes);
        load.Start();
        int cuts = 0;
        while (cuts < CutSettings.MachineCuts)
        {
            cuts += await CutAsync();
        }

        await load.StopAsync(s_patience);
        (IReadOnlyList<string> violations, IReadOnlyDictionary<string, NodeReport> reports) =
            await Auditor.AuditAsync(history, Nodes, s_patience);
        Print(reports, watch.Elapsed);
        return history.Answered > cuts ? violations : [.. violations, "the clients got next to nothing done"];
    }

    /// <summary>Returns how many machines lost their power.</summary>
    private async Task<int> CutAsync()
    {
        Machine[] victims = random.Next(4) == 0 ? [.. machines] : [machines[random.Next(machines.Count)]];
        CutMode mode = random.Next(3) == 0 ? CutMode.JournalKept : CutMode.JournalLost;
        await Task.WhenAll(victims.Select(machine => machine.CutAsync(mode)));
        foreach (Machine machine in victims)
        {
            string kind = $"{machine.Kind.Name} {(mode == CutMode.JournalKept ? "journal kept" : "journal lost")}";
            _cuts[kind] = _cuts.GetValueOrDefault(kind) + 1;
            machine.Restart();
        }

        if (random.Next(3) > 0)
        {
            await ServeAsync([.. victims.SelectMany(static machine => machine.Nodes)]);
        }
        else
        {
            // The next cut comes while they recover; when exactly is what chance is for.
            await Task.Delay(random.Next(500));
        }

        return victims.Length;
    }

    private async Task ServeAsync(IReadOnlyList<NodeUnderTest> nodes)
    {
        var watch = Stopwatch.StartNew();
        foreach (NodeUnderTest node in nodes)
        {
            await node.AskAsync("save", s_patience);
        }

        _recoveries.Add(watch.Elapsed.TotalMilliseconds);
        await Task.Delay(random.Next(150));
    }

    private void Print(IReadOnlyDictionary<string, NodeReport> reports, TimeSpan elapsed)
    {
        double[] times = [.. _recoveries.Order()];
        sandbox.Say(string.Create(CultureInfo.InvariantCulture,
            $"{_cuts.Values.Sum()} power cuts of machines with coordinators and apps in {elapsed.TotalSeconds:0} s: "
            + $"{string.Join(", ", _cuts.Select(static pair => $"{pair.Key} {pair.Value}"))}."));
        sandbox.Say(string.Create(CultureInfo.InvariantCulture,
            $"Served again after min/median/max {times[0]:0}/{times[times.Length / 2]:0}/{times[^1]:0} ms. {history.Count} requests, "
            + $"{history.Answered} answered, {history.Unknown} with unknown outcome; "
            + $"{reports.Values.Sum(static r => r.Received.Values.Sum())} messages between nodes."));
    }

    private static NodeUnderTest Node(Sandbox sandbox, string name, Volume volume) =>
        new(sandbox, name, Layout.Sidecar, NodeSettings.Small with { Store = "file:" + Path.Combine(volume.Folder, "store") });
}
