using System.Globalization;
using EndToEnd;

namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>Clients that keep nodes busy. Each sends one request after the other; an app that dies takes the answer with it, the request is
/// never repeated.</summary>
internal sealed class Load(History history, IReadOnlyList<NodeUnderTest> nodes, int seed, int clientsPerNode)
{
    private static readonly TimeSpan s_pace = TimeSpan.FromMilliseconds(15);
    private readonly List<Task> _clients = [];
    private volatile bool _stopped;

    /// <summary>Kinds of work that are asked for; all by default.</summary>
    public IReadOnlyList<WorkKind> Kinds { get; init; } = [.. Enum.GetValues<WorkKind>()
        .Where(static kind => kind is not (WorkKind.Poison or WorkKind.Culture))];

    /// <summary>Nodes that the work is for; each other node by default.</summary>
    public IReadOnlyList<NodeUnderTest>? Servers { get; init; }

    public void Start()
    {
        foreach (NodeUnderTest node in nodes)
        {
            for (int client = 0; client < clientsPerNode; client++)
            {
                string prefix = string.Create(CultureInfo.InvariantCulture, $"{node.Name}.{client}.");
                var random = new Random(HashCode.Combine(seed, node.Name.Length, client) ^ node.Name[^1]);
                _clients.Add(Task.Run(() => RunAsync(node, prefix, random)));
            }
        }
    }

    /// <summary>Sends nothing new and waits for the answers that are due.</summary>
    public async Task StopAsync(TimeSpan patience)
    {
        _stopped = true;
        try
        {
            await Task.WhenAll(_clients).WaitAsync(patience);
        }
        catch (TimeoutException)
        {
            foreach (Request request in history.Waiting.Take(20))
            {
                history.Violated($"lost: {request.Id} {request.Kind} to {request.Peer} was never answered, although its app lives");
            }
        }
    }

    private async Task RunAsync(NodeUnderTest node, string prefix, Random random)
    {
        GateClient? gate = null;
        string[] peers = [.. (Servers ?? nodes).Where(n => n != node).Select(static n => n.Name)];
        for (int i = 0; !_stopped; i++)
        {
            if (gate is null or { Closed: true })
            {
                gate?.Dispose();
                gate = await GateClient.TryConnectAsync(node.GatePath);
                if (gate is null)
                {
                    await Task.Delay(s_pace);
                    continue;
                }
            }

            WorkKind kind = Kinds[random.Next(Kinds.Count)];
            string peer = peers.Length == 0 ? node.Name : peers[random.Next(peers.Length)];
            if (random.Next(8) == 0)
            {
                await TellAsync(gate, peer);
            }

            int size = kind == WorkKind.Large ? random.Next(1000, 200_000) : random.Next(5, 200);
            if (!await SendAsync(gate, new Request(prefix + i.ToString(CultureInfo.InvariantCulture), node.Name, peer, kind), size))
            {
                gate.Dispose();
                gate = null;
            }

            await Task.Delay(s_pace);
        }

        gate?.Dispose();
    }

    // The receiver checks that impulses keep their order and none comes twice; one that is lost with its sender is nobody's fault.
    private static async Task TellAsync(GateClient gate, string peer)
    {
        try
        {
            await gate.AskAsync("tell " + peer);
        }
        catch (GateClosedException)
        {
            // Seen by the next request, too.
        }
    }

    private async Task<bool> SendAsync(GateClient gate, Request request, int size)
    {
        history.Begin(request);
        try
        {
            history.End(request, await gate.AskAsync(
                string.Create(CultureInfo.InvariantCulture, $"submit {request.Id} {request.Kind} {request.Peer} {size}")));
            return true;
        }
        catch (GateClosedException)
        {
            request.Outcome = Outcome.Unknown;
            return false;
        }
    }
}
