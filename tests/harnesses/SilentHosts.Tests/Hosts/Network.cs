using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.PowerCut.Tests.Volumes;

namespace Ambrosia.SilentHosts.Tests.Hosts;

/// <summary>A switch and hosts, each in a network namespace of its own, joined by virtual cables. Nothing of it is in the machine's own
/// network.</summary>
internal sealed class Network : IAsyncDisposable
{
    private readonly Holder _switch;
    private readonly List<Holder> _hosts = [];

    private Network(Holder @switch) => _switch = @switch;

    public static async Task<Network> CreateAsync(int hosts)
    {
        var network = new Network(await Holder.StartAsync());
        try
        {
            network.AtSwitch("ip", "link", "add", "br0", "type", "bridge");
            network.AtSwitch("ip", "link", "set", "br0", "up");
            for (int host = 0; host < hosts; host++)
            {
                await network.AddHostAsync(host);
            }

            return network;
        }
        catch (InvalidOperationException)
        {
            await network.DisposeAsync();
            throw;
        }
    }

    public static string AddressOf(int host) => string.Create(CultureInfo.InvariantCulture, $"10.77.0.{host + 1}");

    /// <summary>What runs a program on a host.</summary>
    public string[] LauncherOf(int host) => ["nsenter", $"--net=/proc/{_hosts[host].Id}/ns/net", "--"];

    /// <summary>Pulls the host's cable at the switch: nobody is told, no connection is ended.</summary>
    public void Pull(int host) => AtSwitch("ip", "link", "set", Port(host), "down");

    /// <summary>Puts the cable back.</summary>
    public void Plug(int host) => AtSwitch("ip", "link", "set", Port(host), "up");

    /// <summary>Lets the host's packets vanish in one direction.</summary>
    public void CutOneWay(int host, bool incoming)
    {
        string hook = incoming ? "input" : "output";
        string side = incoming ? "iifname" : "oifname";
        At(host, "nft", $"add table inet cut; add chain inet cut way {{ type filter hook {hook} priority 0; }}; add rule inet cut way "
            + $"{side} eth0 drop");
    }

    /// <summary>Lets the packets of one connection vanish in one direction, or in both; all others pass.</summary>
    public void CutConnection(int host, int localPort, int remotePort, bool incoming, bool outgoing)
    {
        At(host, "nft", "add table inet cut");
        if (incoming)
        {
            At(host, "nft", string.Create(
                CultureInfo.InvariantCulture,
                $"add chain inet cut from {{ type filter hook input priority 0; }}; add rule inet cut from tcp dport {localPort} tcp "
                + $"sport {remotePort} drop"));
        }

        if (outgoing)
        {
            At(host, "nft", string.Create(
                CultureInfo.InvariantCulture,
                $"add chain inet cut to {{ type filter hook output priority 0; }}; add rule inet cut to tcp sport {localPort} tcp dport "
                + $"{remotePort} drop"));
        }
    }

    /// <summary>The host's TCP connections to a port: the local port of each, and the bytes that it has sent there.</summary>
    public IReadOnlyDictionary<int, long> ConnectionsTo(int host, int remotePort)
    {
        string[] lines = At(
            host, "ss", "-Htin", "state", "established", "dport", "=", string.Create(CultureInfo.InvariantCulture, $":{remotePort}"))
                .Split('\n');
        var found = new Dictionary<int, long>();
        for (int at = 0; at + 1 < lines.Length; at += 2)
        {
            // Two lines for each: queues and addresses, then the kernel's figures.
            string local = lines[at].Split(' ', StringSplitOptions.RemoveEmptyEntries)[2];
            string? sent = lines[at + 1].Split(' ').FirstOrDefault(static word => word.StartsWith("bytes_sent:", StringComparison.Ordinal));
            found[int.Parse(local[(local.LastIndexOf(':') + 1)..], CultureInfo.InvariantCulture)] =
                sent is null ? 0 : long.Parse(sent["bytes_sent:".Length..], CultureInfo.InvariantCulture);
        }

        return found;
    }

    /// <summary>Ends what <see cref="CutOneWay"/> or <see cref="CutConnection"/> began.</summary>
    public void Join(int host) => At(host, "nft", "delete table inet cut");

    /// <summary>Ends everything, and throws if a process of these namespaces is left.</summary>
    public async ValueTask DisposeAsync()
    {
        HashSet<string> spaces = [_switch.Space, .. _hosts.Select(static host => host.Space)];
        _hosts.ForEach(static host => host.Dispose());
        _switch.Dispose();
        await Wait.UntilAsync("no process of the test's network is left", () => !Spaces().Any(spaces.Contains), TimeSpan.FromSeconds(20));
    }

    private static IEnumerable<string> Spaces() => Directory.GetDirectories("/proc")
        .Select(static path => Path.GetFileName(path))
        .Where(static name => name.All(char.IsAsciiDigit))
        .Select(Holder.SpaceOf)
        .OfType<string>();

    private async Task AddHostAsync(int host)
    {
        Holder holder = await Holder.StartAsync();
        _hosts.Add(holder);
        AtSwitch("ip", "link", "add", Port(host), "type", "veth", "peer", "name", "eth0", "netns",
            holder.Id.ToString(CultureInfo.InvariantCulture));
        AtSwitch("ip", "link", "set", Port(host), "master", "br0");
        Plug(host);
        At(host, "ip", "link", "set", "lo", "up");
        At(host, "ip", "address", "add", AddressOf(host) + "/24", "dev", "eth0");
        At(host, "ip", "link", "set", "eth0", "up");
    }

    private static string Port(int host) => string.Create(CultureInfo.InvariantCulture, $"port{host}");

    private void AtSwitch(params string[] command) => Tool.Run("nsenter", [$"--net=/proc/{_switch.Id}/ns/net", "--", .. command]);

    private string At(int host, params string[] command) =>
        Tool.Run("nsenter", [$"--net=/proc/{_hosts[host].Id}/ns/net", "--", .. command]);
}
