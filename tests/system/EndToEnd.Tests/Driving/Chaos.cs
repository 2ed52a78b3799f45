using System.Diagnostics;
using System.Globalization;

namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>Kills by plan while clients work: at named points, at random moments, one side, pairs, everything at once.</summary>
internal sealed class Chaos(Sandbox sandbox, IReadOnlyList<NodeUnderTest> nodes, Supervisor supervisor, int seed)
{
    private static readonly TimeSpan s_failpointPatience = TimeSpan.FromSeconds(6);
    private static readonly TimeSpan s_recoveryPatience = TimeSpan.FromSeconds(60);
    private readonly Random _random = new(seed);
    private readonly SortedDictionary<string, int> _kills = new(StringComparer.Ordinal);
    private readonly SortedDictionary<string, int> _fired = new(StringComparer.Ordinal);
    private readonly List<double> _recoveries = [];

    /// <summary>SIGKILLs sent from outside.</summary>
    public int Kills => _kills.Values.Sum();

    /// <summary>Points that were reached, with the times.</summary>
    public IReadOnlyDictionary<string, int> Fired => _fired;

    /// <summary>One line: kills by kind, recoveries.</summary>
    public string Summary
    {
        get
        {
            double[] sorted = [.. _recoveries.Order()];
            string times = sorted.Length == 0 ? "none"
                : string.Create(CultureInfo.InvariantCulture, $"{sorted[0]:0}/{sorted[sorted.Length / 2]:0}/{sorted[^1]:0} ms");
            string kinds = string.Join(", ", _kills.Select(static pair => $"{pair.Key} {pair.Value}"));
            string points = string.Join(", ", _fired.Select(static pair => $"{pair.Key} {pair.Value}"));
            return $"{Kills + _fired.Values.Sum()} SIGKILLs: {kinds}; at named points {_fired.Values.Sum()}: {points}. {sorted.Length} "
                + $"recoveries, min/median/max {times}.";
        }
    }

    /// <summary>Dies at the point as often as asked; a point that is not reached in time is tried again, a few times.</summary>
    public async Task DieAtAsync(Side side, string point, int passings, int times)
    {
        for (int attempt = 0; attempt < times + 4 && _fired.GetValueOrDefault(point) < times; attempt++)
        {
            NodeUnderTest[] candidates = [.. nodes.Where(static node => node.HasCoordinator)];
            NodeUnderTest node = candidates[_random.Next(candidates.Length)];
            string failpoint = string.Create(CultureInfo.InvariantCulture, $"{point}:{1 + _random.Next(passings)}");
            supervisor.Arm(node, side, failpoint);
            await KillAsync(node, side);
            if (await DiesByItselfAsync(node, side))
            {
                _fired[point] = _fired.GetValueOrDefault(point) + 1;
            }
            else
            {
                sandbox.Say($"{node.Name} did not pass {failpoint} in time");
                await KillAsync(node, side);
            }

            await RecoverAsync([node]);
        }
    }

    /// <summary>Kills somebody at a random moment.</summary>
    public async Task KillSomebodyAsync()
    {
        int choice = _random.Next(10);
        NodeUnderTest node = nodes[_random.Next(nodes.Count)];
        switch (choice)
        {
            case < 4:
                await KillAsync(node, Side.Coordinator);
                break;
            case < 7:
                await KillAsync(node, Side.App);
                break;
            case < 9:
                await Task.WhenAll(KillAsync(node, Side.Coordinator), KillAsync(node, Side.App));
                break;
            default:
                await Task.WhenAll(nodes.SelectMany(n => new[] { KillAsync(n, Side.Coordinator), KillAsync(n, Side.App) }));
                break;
        }

        if (_random.Next(2) == 0)
        {
            await RecoverAsync(nodes);
        }
        else
        {
            // The next kill comes in the middle of the recovery; when exactly is what chance is for.
            await Task.Delay(_random.Next(400));
        }
    }

    /// <summary>Returns when all these nodes do their work again; notes how long that took.</summary>
    public async Task RecoverAsync(IReadOnlyList<NodeUnderTest> killed)
    {
        foreach (NodeUnderTest node in killed)
        {
            var watch = Stopwatch.StartNew();
            await node.AskAsync("save", s_recoveryPatience);
            _recoveries.Add(watch.Elapsed.TotalMilliseconds);
        }
    }

    private async Task KillAsync(NodeUnderTest node, Side side)
    {
        if (await node.KillAsync(side))
        {
            lock (_kills)
            {
                string kind = $"{node.Layout.ToString().ToLowerInvariant()} {side.ToString().ToLowerInvariant()}";
                _kills[kind] = _kills.GetValueOrDefault(kind) + 1;
            }
        }
    }

    private async Task<bool> DiesByItselfAsync(NodeUnderTest node, Side side)
    {
        int before = supervisor.FailpointDeaths;
        var watch = Stopwatch.StartNew();
        while (supervisor.FailpointDeaths == before)
        {
            if (watch.Elapsed > s_failpointPatience)
            {
                return false;
            }

            // Points around checkpoints are passed only when one is taken.
            using GateClient? gate = await GateClient.TryConnectAsync(node.GatePath);
            try
            {
                if (gate is not null)
                {
                    await gate.AskAsync("save").WaitAsync(TimeSpan.FromMilliseconds(300));
                }
            }
            catch (Exception error) when (error is GateClosedException or TimeoutException)
            {
                // Dead, or dying.
            }

            await Task.Delay(20);
        }

        return true;
    }
}
