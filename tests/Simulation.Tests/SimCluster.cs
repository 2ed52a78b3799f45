using Ambrosia.ImmortalCoordinator.Transport.Memory;
using Ambrosia.LogStore.Files.Memory;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.Simulation.Tests;

/// <summary>A cluster under one seed: first faults, then healing, then the final account.</summary>
internal sealed class SimCluster
{
    private static readonly long s_liveness = TimeSpan.FromMinutes(10).Ticks;
    private readonly SimLoop _loop;
    private readonly SimOracle _oracle = new();
    private readonly MemoryNetwork _network = new(new MemoryNetworkOptions { BufferBytes = 4096 });
    private readonly List<SimNode> _nodes = [];
    private readonly List<ulong> _accepted = [];
    private ulong _nextImpulse = 1;

    public SimCluster(int seed, ILogger? logger = null)
    {
        _loop = new SimLoop(seed);
        Settings = SimSettings.Draw(_loop.Random);
        string[] names = ["A", "B", "C"];
        names = names[..Settings.Instances];
        var catalog = new MemoryFileSystem();
        foreach (string name in names)
        {
            _nodes.Add(new SimNode(_loop, _oracle, _network, catalog, name, names, Settings, logger ?? NullLogger.Instance));
        }
    }

    public SimSettings Settings { get; }

    public Dictionary<string, int> Faults { get; } = [];

    public long Executions => _oracle.Executions;

    public long Steps => _loop.Steps;

    public long VirtualTicks => _loop.Now;

    /// <summary>Runs the whole schedule; null if all is well, else what was violated.</summary>
    public string? Run()
    {
        SynchronizationContext? outer = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(null);
        try
        {
            foreach (SimNode node in _nodes)
            {
                node.StartCoordinator();
                node.StartApp();
            }

            return FaultPhase() ?? HealPhase();
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(outer);
        }
    }

    private string? FaultPhase()
    {
        for (int i = 0; i < Settings.Steps; i++)
        {
            if (!_loop.Step(_loop.Now + TimeSpan.TicksPerSecond) && Failure() is { } idle)
            {
                return idle;
            }

            if (Failure() is { } failure)
            {
                return failure;
            }

            Revive();
            if (_loop.Random.NextDouble() < Settings.FaultRate)
            {
                Fault();
            }

            if (_loop.Random.Next(60) == 0)
            {
                _nodes[_loop.Random.Next(_nodes.Count)].SendImpulse(Identity());
            }
        }

        return null;
    }

    private ulong Identity() => 0xABCD_0000_0000_0000 + _nextImpulse++;

    private string? Failure() =>
        _oracle.Violation ?? _nodes.Select(n => n.Trouble).FirstOrDefault(t => t is not null) ?? _loop.Escaped?.ToString();

    private void Fault()
    {
        SimNode node = _nodes[_loop.Random.Next(_nodes.Count)];
        switch (_loop.Random.Next(8))
        {
            case 0:
                Count("coordinator killed");
                node.KillCoordinator(powerCut: false);
                break;
            case 1:
                Count("power cut");
                node.KillCoordinator(powerCut: true);
                node.KillApp();
                break;
            case 2 or 3:
                Count("app killed");
                node.KillApp();
                break;
            case 4:
                Count("both killed");
                node.KillCoordinator(powerCut: false);
                node.KillApp();
                break;
            case 5 when _network.Links.Count > 0:
                Count("link cut");
                _network.Links[_loop.Random.Next(_network.Links.Count)].Cut();
                break;
            case 6 when _network.Links.Count > 0:
                MemoryLink link = _network.Links[_loop.Random.Next(_network.Links.Count)];
                Count("link stalled");
                link.Stall(_loop.Random.Next(2) == 0, _loop.Random.Next(2) == 0);
                break;
            case 7 when _network.Links.Count > 0:
                MemoryLink severed = _network.Links[_loop.Random.Next(_network.Links.Count)];
                if (severed.EndPoint.Scheme != ImmortalCoordinator.Transport.EndPointScheme.Pipe)
                {
                    Count("link severed");
                    severed.Sever();
                }

                break;
            default:
                foreach (MemoryLink stalled in _network.Links)
                {
                    stalled.Resume();
                }

                break;
        }
    }

    private void Count(string fault) => Faults[fault] = Faults.GetValueOrDefault(fault) + 1;

    private void Revive(bool now = false)
    {
        foreach (SimNode node in _nodes)
        {
            if (!node.CoordinatorAlive && (now || _loop.Random.Next(40) == 0))
            {
                node.StartCoordinator();
            }

            if (!node.AppAlive && node.CoordinatorAlive && (now || _loop.Random.Next(40) == 0))
            {
                node.KillApp();
                node.StartApp();
            }
        }
    }

    private string? HealPhase()
    {
        foreach (MemoryLink link in _network.Links)
        {
            link.Resume();
        }

        // From here on no process dies: an impulse that a living coordinator took must be executed.
        long deadline = _loop.Now + s_liveness;
        long steps = _loop.Steps + 2_000_000;
        while (!Converged())
        {
            Revive(now: true);
            long until = Math.Min(deadline, _loop.Now + TimeSpan.TicksPerSecond);
            while (_loop.Steps < steps && !Converged() && _loop.Step(until))
            {
                if (Failure() is { } failure)
                {
                    return failure;
                }
            }

            if (_loop.Now >= deadline || _loop.Steps >= steps)
            {
                return $"no convergence (liveness): {Describe()}";
            }
        }

        _oracle.RequireExactlyOnce([.. _nodes.Select(n => n.Name)]);
        return Failure();
    }

    private bool Converged() => _nodes.TrueForAll(node =>
        node.CoordinatorAlive && node.App is { IsPrimary: true } && node.Core!.IsIdle);

    private string Describe() => string.Join("; ", _nodes.Select(node =>
        $"{node.Name}: coordinator {(node.CoordinatorAlive ? "alive" : "dead")}, app {(node.App is { IsPrimary: true } ? "primary" : "not primary")} at {node.App?.DoneLsn}, {node.Core?.Describe()}"));
}
