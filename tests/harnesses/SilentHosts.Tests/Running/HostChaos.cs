using System.Diagnostics;
using System.Text.Json;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.SilentHosts.Tests.Hosts;

namespace Ambrosia.SilentHosts.Tests.Running;

/// <summary>Lets hosts vanish without a word, and cuts the network between hosts that live, while clients work.</summary>
internal sealed class HostChaos(Network network, IReadOnlyList<NodeUnderTest> nodes, History history, Random random)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(240);
    private readonly SortedDictionary<string, int> _kinds = new(StringComparer.Ordinal);
    private readonly Prober _prober = new(history);

    /// <summary>Hosts that vanished with all their processes.</summary>
    public int Deaths { get; private set; }

    /// <summary>Cuts that nobody died of.</summary>
    public int Cuts { get; private set; }

    public IReadOnlyDictionary<string, int> Kinds => _kinds;

    /// <summary>From the pulled cable to the moment when every peer that lives knows.</summary>
    public Timings Noticed { get; } = new();

    /// <summary>From the start of the processes, or the end of the cut, to an answer that needed host and network.</summary>
    public Timings ServedAfterDeath { get; } = new();

    public Timings ServedAfterCut { get; } = new();

    public async Task StartAsync()
    {
        foreach (NodeUnderTest node in nodes)
        {
            node.Start();
        }

        await ReachAllAsync(Everybody);
    }

    /// <summary>One, several in turn, or all hosts vanish.</summary>
    public async Task LetVanishAsync()
    {
        RequireAlive();
        switch (random.Next(4))
        {
            case 0:
                await VanishAsync("all at once", Everybody, awaitNotice: false);
                break;
            case 1:
                await RollAsync();
                break;
            case 2:
                await VanishAsync("one, back before anybody noticed", [random.Next(nodes.Count)], awaitNotice: false);
                break;
            default:
                await VanishAsync("one, back after its peers noticed", [random.Next(nodes.Count)], awaitNotice: true);
                break;
        }
    }

    /// <summary>A cut that nobody dies of: both ways, or one; shorter or longer than it takes to be noticed.</summary>
    public async Task CutAsync()
    {
        RequireAlive();
        int host = random.Next(nodes.Count);
        (string kind, Action cut, Action join) = random.Next(4) switch
        {
            0 => ("nothing gets in", () => network.CutOneWay(host, incoming: true), () => network.Join(host)),
            1 => ("nothing gets out", () => network.CutOneWay(host, incoming: false), () => network.Join(host)),
            _ => ("cable pulled", (Action)(() => network.Pull(host)), (Action)(() => network.Plug(host))),
        };
        bool brief = random.Next(3) == 0;
        cut();
        var watch = Stopwatch.StartNew();
        if (brief)
        {
            await Task.Delay(random.Next(50, 600));
        }
        else
        {
            await NoticeAsync([host], watch);
            await Task.Delay(random.Next(1, 1000));
        }

        join();
        Count(kind + (brief ? ", briefly" : ", until noticed"));
        Cuts++;
        watch.Restart();
        await ReachAllAsync([host]);
        ServedAfterCut.Add(watch.Elapsed);
    }

    private int[] Everybody => [.. Enumerable.Range(0, nodes.Count)];

    private async Task RollAsync()
    {
        foreach (int host in Everybody)
        {
            await KillAsync(host);
            Count("rolling");
            network.Plug(host);
            nodes[host].Start();
            // The next one vanishes while this one recovers.
            await Task.Delay(random.Next(300));
        }

        var watch = Stopwatch.StartNew();
        await ReachAllAsync(Everybody);
        ServedAfterDeath.Add(watch.Elapsed);
    }

    private async Task VanishAsync(string kind, int[] hosts, bool awaitNotice)
    {
        var watch = Stopwatch.StartNew();
        await Task.WhenAll(hosts.Select(KillAsync));
        foreach (int _ in hosts)
        {
            Count(kind);
        }

        if (awaitNotice)
        {
            await NoticeAsync(hosts, watch);
        }

        watch.Restart();
        bool networkFirst = random.Next(2) == 0;
        if (networkFirst)
        {
            Plug(hosts);
        }

        foreach (int host in hosts)
        {
            nodes[host].Start();
        }

        if (!networkFirst)
        {
            await Task.Delay(random.Next(400)); // It recovers, and finds nobody.
            Plug(hosts);
        }

        await ReachAllAsync(hosts);
        ServedAfterDeath.Add(watch.Elapsed);
    }

    /// <summary>First the cable, then the processes: nothing that the kernel says at their end gets out.</summary>
    private async Task KillAsync(int host)
    {
        network.Pull(host);
        await Task.WhenAll(nodes[host].KillAsync(Side.Coordinator), nodes[host].KillAsync(Side.App));
        Deaths++;
    }

    private void Plug(int[] hosts)
    {
        foreach (int host in hosts)
        {
            network.Plug(host);
        }
    }

    /// <summary>Waits until every other node that had a connection to these says that it has none.</summary>
    private async Task NoticeAsync(int[] hosts, Stopwatch watch)
    {
        NodeUnderTest[] others = [.. nodes.Where((_, index) => !hosts.Contains(index))];
        HashSet<string> names = [.. hosts.Select(host => nodes[host].Name)];
        foreach (NodeUnderTest other in others)
        {
            await Wait.UntilAsync($"{other.Name} notices that {string.Join(", ", names)} is silent", async () =>
                await ConnectedToAsync(other, names) == false, s_patience);
        }

        Noticed.Add(watch.Elapsed);
    }

    private static async Task<bool> ConnectedToAsync(NodeUnderTest node, HashSet<string> names)
    {
        JsonElement status = await Admin.StatusAsync(node);
        return status.GetProperty("outputs").EnumerateArray()
            .Any(output => names.Contains(output.GetProperty("peer").GetString()!) && output.GetProperty("connected").GetBoolean());
    }

    /// <summary>Calls from and to these hosts are answered again.</summary>
    private async Task ReachAllAsync(int[] hosts)
    {
        foreach (int host in hosts)
        {
            NodeUnderTest neighbour = nodes[(host + 1) % nodes.Count];
            await Task.WhenAll(_prober.ReachAsync(neighbour, nodes[host]), _prober.ReachAsync(nodes[host], neighbour));
        }
    }

    private void RequireAlive()
    {
        foreach (Child child in nodes.SelectMany(static node => new[] { node.Coordinator, node.App }).OfType<Child>()
            .Where(static child => child.HasExited))
        {
            throw new InvalidOperationException($"{child.Name} ended by itself with code {child.ExitCode}: {child.Output.Split('\n')[^1]}");
        }
    }

    private void Count(string kind) => _kinds[kind] = _kinds.GetValueOrDefault(kind) + 1;
}
