using System.Text.Json;
using Ambrosia.Bench.Immortals;
using Ambrosia.Bench.Relay;
using Ambrosia.Bench.Relay.Rings;

namespace Ambrosia.Bench.Processes;

/// <summary>The same four processes with nothing in them but sockets and, if logged, one synced write per block: the limit of this design
/// on this machine.</summary>
internal sealed class RelayTopology : IAsyncDisposable
{
    private readonly List<Child> _processes = [];

    private RelayTopology()
    {
    }

    public IReadOnlyList<Child> Processes => _processes;

    private Child Source => _processes[0];

    /// <summary>Two processes with one TCP connection: what the system's sockets allow.</summary>
    public static async Task<RelayTopology> StartDirectAsync()
    {
        var topology = new RelayTopology();
        int port = int.Parse((await topology.AddAsync("end", "relay-end", "0")).Split(' ')[1],
            System.Globalization.CultureInfo.InvariantCulture);
        await topology.AddAsync("source", "relay-source", Numbers.Text(port));
        return topology;
    }

    public static async Task<RelayTopology> StartAsync(string folder, bool logged)
    {
        Directory.CreateDirectory(folder);
        var topology = new RelayTopology();
        try
        {
            (string near, string far) = (Path.Combine(folder, "near.sock"), Path.Combine(folder, "far.sock"));
            await topology.AddAsync("end", "relay-end", far);
            string listening = await topology.AddAsync("hop sink", "relay-hop", "0", far, logged ? Path.Combine(folder, "sink.log")
                : RelayHop.None, RelayHop.None);
            await topology.AddAsync("hop source", "relay-hop", near, listening.Split(' ')[1], RelayHop.None, logged
                ? Path.Combine(folder, "source.log") : RelayHop.None);
            await topology.AddAsync("source", "relay-source", near);
            return topology;
        }
        catch (ChildFailedException)
        {
            await topology.DisposeAsync();
            throw;
        }
    }

    /// <summary>The same with threads that wait for their own sockets, and what is wanted between each app and its coordinator.</summary>
    public static async Task<RelayTopology> StartAsync(string folder, bool logged, AppHopKind kind)
    {
        Directory.CreateDirectory(folder);
        var topology = new RelayTopology();
        try
        {
            string name = kind.ToString();
            (string near, string far) = (Path.Combine(folder, "near.sock"), Path.Combine(folder, "far.sock"));
            await topology.AddAsync("end", "ring-relay-end", name, far);
            string listening = await topology.AddAsync("hop sink", "ring-relay-hop", name, "0", far, logged
                ? Path.Combine(folder, "sink.log") : RelayHop.None);
            await topology.AddAsync("hop source", "ring-relay-hop", name, near, listening.Split(' ')[1], logged
                ? Path.Combine(folder, "source.log") : RelayHop.None);
            await topology.AddAsync("source", "ring-relay-source", name, near);
            return topology;
        }
        catch (ChildFailedException)
        {
            await topology.DisposeAsync();
            throw;
        }
    }

    public Task<Outcome> FloodAsync(int size, double seconds) => AskAsync($"flood {size} {Numbers.Text(seconds)}");

    public Task<Outcome> CallAsync(int size, int outstanding, double seconds) =>
        AskAsync($"call {size} {outstanding} {Numbers.Text(seconds)}");

    public async ValueTask DisposeAsync()
    {
        foreach (Child process in _processes)
        {
            await process.DisposeAsync();
        }
    }

    private async Task<string> AddAsync(string name, params string[] arguments)
    {
        var child = new Child($"relay {name}", null, arguments);
        _processes.Insert(0, child);
        return await child.ExpectAsync(RelaySource.Ready);
    }

    private async Task<Outcome> AskAsync(string command)
    {
        string answer = await Source.AskAsync(command, DeskWords.Answer);
        return JsonSerializer.Deserialize<Outcome>(answer[DeskWords.Answer.Length..])!;
    }
}
