using System.IO.Pipelines;
using Ambrosia.Coordinator.Transport.Memory;
using Ambrosia.Testing.Virtual;

namespace Ambrosia.Simulation.Tests;

/// <summary>A cluster under one seed: first faults, then healing, then the final account. Everything in it runs on the thread that made
/// it.</summary>
internal sealed class SimCluster
{
    private const long StepLimit = 400_000;
    private static readonly long s_liveness = TimeSpan.FromMinutes(10).Ticks;
    private readonly VirtualLoop _loop;
    private readonly SimWorld _world;
    private readonly SimFaults _faults;
    private readonly List<SimNode> _nodes = [];
    private readonly SimReplicaFaults _replicas;
    private readonly SimUpgrades _upgrades;
    private readonly ReplicaPlan _plan;
    private readonly SimAim? _aim;
    private readonly RotPlan _rots;
    private readonly RemadeSender? _remade;
    private readonly List<SimCaller> _callers = [];
    private readonly SimAwakener _awakener;
    private ulong _nextImpulse = 1;

    /// <summary>A cluster that has not begun.</summary>
    /// <param name="seed">Decides everything.</param>
    /// <param name="report">Where what happens is counted; null for nowhere.</param>
    /// <param name="print">Receives a line for everything that happens; null for nobody.</param>
    /// <param name="shrinksLimits">Whether limits may be smaller than the product's.</param>
    /// <param name="hasEffects">Whether apps may ask for effects on the outside.</param>
    /// <param name="hasCallers">Whether somebody outside may call.</param>
    public SimCluster(
        int seed, SimReport? report = null, Action<string>? print = null, bool shrinksLimits = true, bool hasEffects = true,
        bool hasCallers = true)
    {
        _loop = new VirtualLoop(seed, strict: true);
        _aim = SimAim.Of(seed);
        _rots = new RotPlan(seed);
        SimSettings drawn = SimSettings.Draw(_loop.Random);
        var drops = new DropPlan(seed, mayBeOn: shrinksLimits);
        Settings = drops.Prepare(_aim?.Prepare(drawn) ?? drawn);
        var poison = new PoisonPlan(seed);
        Limits = shrinksLimits ? SimLimits.Of(seed, Settings, poison.IsOn) : SimLimits.None;
        string[] names = [.. Enumerable.Range(0, Settings.Instances).Select(i => $"{(char)('A' + i)}")];
        var workload = new Workload(_loop.Random, names, Settings.MaxPayload, Limits.MaxMessageSize);
        // Inline: what waits for a pipe is posted to its own context, without a way round through the thread pool.
        var network = new MemoryNetwork(new MemoryNetworkOptions
            { BufferBytes = workload.Ballast > 0 ? 128 << 10 : Settings.LinkBuffer, Scheduler = PipeScheduler.Inline });
        Action<string>? stamped = print is null ? null : line => print($"{TimeSpan.FromTicks(_loop.Now):c} {_loop.Steps,6} {line}");
        SimReport counted = report ?? new SimReport();
        _plan = new ReplicaPlan(seed, names.Length);
        var upgrades = new UpgradePlan(seed);
        Effects = new EffectPlan(seed, mayBe: hasEffects && !drops.IsOn && _aim is null);
        Callers = new CallerPlan(seed, mayBe: hasCallers && !drops.IsOn && !poison.IsOn && _aim is null);
        Awakeables = new AwakeablePlan(seed, mayBe: Callers.IsOn);
        var builds = new BuildPlan(seed, mayBe: !poison.IsOn && !upgrades.IsOn && !_rots.IsOn && !drops.IsOn && SimAim.Of(seed) is null);
        _world = new SimWorld(_loop, Settings, workload, network, new SimOracle(counted, _loop.Note, stamped, () => _loop.Now), counted,
            poison, _plan,
            upgrades, builds, new RemadePlan(seed), Limits, stamped, drops, Effects, Callers, Awakeables);
        if (drops.IsOn)
        {
            _world.Oracle.Dropped = new DroppedLetters(_nodes);
        }

        for (int i = 0; i < names.Length; i++)
        {
            _nodes.Add(new SimNode(_world, names[i], Settings.IsScripted(i), _plan.ReplicasOf(i), _plan.ServiceOf(i)));
        }

        _faults = new SimFaults(_world, _nodes);
        _replicas = new SimReplicaFaults(_world, _nodes, _faults);
        _upgrades = new SimUpgrades(_world, _nodes);
        _callers.AddRange(Enumerable.Range(0, Callers.IsOn ? Callers.Callers : 0).Select(i => new SimCaller(_world, _nodes, i)));
        _awakener = new SimAwakener(_world, _nodes);
        _remade = _world.Remade.IsOn ? new RemadeSender(_world, _nodes[_world.Remade.Random.Next(_nodes.Count)]) : null;
    }

    public SimSettings Settings { get; }

    public SimLimits Limits { get; }

    public ReplicaPlan Replicas => _plan;

    /// <summary>Whether outputs are dropped to instances that are away for too long.</summary>
    public bool DropsOutputs => _world.Drops.IsOn;

    public UpgradePlan Upgrades => _world.Upgrades;

    public EffectPlan Effects { get; }

    public CallerPlan Callers { get; }

    public AwakeablePlan Awakeables { get; }

    public long Executions => _world.Oracle.Executions;

    public long Steps => _loop.Steps;

    public long VirtualTicks => _loop.Now;

    /// <summary>Equal for equal seeds.</summary>
    public ulong TraceHash => _loop.TraceHash;

    /// <summary>Runs the whole schedule; null if all is well, else what was violated.</summary>
    public string? Run()
    {
        SynchronizationContext? outer = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(null);
        try
        {
            _nodes.ForEach(static node => node.Start());
            string? violation = FaultPhase() ?? HealPhase();
            _world.Report.Add(this);
            return violation;
        }
        finally
        {
            _nodes.ForEach(static node =>
            {
                node.KillApp();
                node.KillCoordinator();
            });
            _remade?.Kill();
            SynchronizationContext.SetSynchronizationContext(outer);
        }
    }

    private string? FaultPhase()
    {
        for (int i = 0; i < Settings.Steps * _plan.StepsFactor; i++)
        {
            _loop.Step(Math.Min(_faults.NextEnding, _loop.Now + TimeSpan.TicksPerSecond));
            _faults.EndDue();
            if (Failure() is { } failure)
            {
                return failure;
            }

            Revive();
            if (_loop.Random.NextDouble() * _plan.StepsFactor < Settings.FaultRate)
            {
                _faults.Do(Settings.DrawFault(_loop.Random));
            }

            if (_plan.IsOn)
            {
                _replicas.Step();
            }

            if (_rots.IsOn)
            {
                _rots.Step(_nodes);
            }

            if (_world.Upgrades.IsOn)
            {
                _upgrades.Look();
                _upgrades.Step();
            }

            if (_world.Drops.IsOn)
            {
                _world.Drops.Step(_nodes, _loop.Now);
            }

            if (Callers.Calls())
            {
                _callers[Callers.Random.Next(_callers.Count)].Begin();
            }

            if (Awakeables.Acts())
            {
                _awakener.Begin();
            }

            _remade?.Step();
            if (_aim is not null)
            {
                _faults.Take(_aim);
            }

            if (_loop.Random.Next(Settings.ImpulseOneIn * _plan.StepsFactor) == 0)
            {
                SendImpulse(_nodes[_loop.Random.Next(_nodes.Count)]);
            }
        }

        return null;
    }

    private void SendImpulse(SimNode node) =>
        node.SendImpulse(_nodes[_loop.Random.Next(_nodes.Count)].Name, 0xABCD_0000_0000_0000 + _nextImpulse++, _loop.Random.Next(1, 4));

    private string? Failure()
    {
        if (_world.Oracle.Violation is not null || _loop.Escaped is not null || _loop.Strayed is not null)
        {
            return _world.Oracle.Violation ?? _loop.Escaped?.ToString() ?? $"something left the simulation's thread:\n{_loop.Strayed}";
        }

        foreach (SimNode node in _nodes)
        {
            if (node.Trouble is { } trouble)
            {
                return trouble;
            }
        }

        return null;
    }

    private void Revive(bool now = false)
    {
        foreach (SimNode node in _nodes.Where(node => !_world.Drops.IsAway(node)))
        {
            foreach (SimReplica replica in node.Replicas)
            {
                if (replica.CoordinatorMayStart && (now || _loop.Random.Next(40) == 0))
                {
                    replica.StartCoordinator();
                }

                if (replica.AppMayStart && (now || _loop.Random.Next(40) == 0))
                {
                    replica.StartApp(now ? null : _upgrades.Choose(node));
                }
            }

            if (_world.Poison.IsOn && node.CoordinatorAlive
                && (node.OnHold ? now || _world.Poison.Random.Next(40) == 0 : !now && _world.Poison.Random.Next(300) == 0))
            {
                node.AskOperator(finish: now);
            }

            if (Effects.IsOn && (now || Effects.Random.Next(100) == 0))
            {
                node.AskAboutEffects(finish: now);
            }
        }
    }

    private string? HealPhase()
    {
        _faults.Heal();
        _world.Drops.Heal();
        _replicas.Heal();
        Effects.Heal();
        _callers.ForEach(static caller => caller.Heal());
        _awakener.Heal();
        _remade?.Heal();
        string? violation = Converge();
        _replicas.BringAllBack();
        return violation ?? SurviveImpulses() ?? HandleLetters() ?? Settle();
    }

    /// <summary>Nothing is broken any more: an impulse that a living coordinator is given now must be executed.</summary>
    private string? SurviveImpulses()
    {
        _nodes.ForEach(SendImpulse);
        return Converge();
    }

    /// <summary>Somebody looks at what was taken out: some of it is executed after all, and what nobody touches is still there.</summary>
    private string? HandleLetters()
    {
        if (!_world.Poison.IsOn)
        {
            return null;
        }

        _nodes.ForEach(static node => node.AskOperator(finish: true));
        string? violation = Converge();
        _nodes.ForEach(static node => node.CompareLetters());
        return violation ?? Converge();
    }

    private string? Settle()
    {
        _replicas.CountFollowers();
        _world.Oracle.RequireComplete(life => _nodes.Exists(node => node.Survived(life)));
        return Failure();
    }

    private string? Converge()
    {
        long deadline = _loop.Now + s_liveness;
        long steps = _loop.Steps + StepLimit;
        while (true)
        {
            Revive(now: true);
            _awakener.Look();
            bool moved = _loop.Step(Math.Min(deadline, _loop.Now + TimeSpan.TicksPerSecond / 50));
            if (_world.Upgrades.IsOn)
            {
                _upgrades.Look();
            }

            if (Failure() is { } failure)
            {
                return failure;
            }

            // Only when no thread has anything left to do: what is between two of them is seen by neither.
            if (!moved || _loop.IsQuiet)
            {
                if (_nodes.TrueForAll(static node => node.IsIdle) && _remade is not { IsIdle: false }
                    && _callers.TrueForAll(static caller => caller.IsIdle) && _awakener.IsIdle && _world.Oracle.OpenAwaits == 0)
                {
                    return null;
                }
            }

            if (_loop.Now >= deadline || _loop.Steps >= steps)
            {
                return $"no convergence within {TimeSpan.FromTicks(s_liveness)} or {StepLimit} steps; {_world.Oracle.OpenAwaits} awaits "
                    + $"are open\n{string.Join('\n', _nodes.Select(static node => node.Describe()))}\n{_remade?.Describe()}\n"
                    + $"{string.Join('\n', _callers.Select(static caller => caller.Describe()))}\n{_awakener.Describe()}";
            }
        }
    }
}
