namespace Ambrosia.Simulation.Tests;

/// <summary>
/// Which instances of a schedule have replicas, how many, and how often what happens to them: about one schedule in four. Drawn from a
/// source of its own, so that all other seeds do what they did before.
/// </summary>
internal sealed class ReplicaPlan
{
    /// <summary>Followers look at the log every few milliseconds: most steps of such a schedule are theirs, so that it gets more of them
    /// and everything else is rarer.</summary>
    private const int Stretch = 4;

    /// <summary>How many replicas an instance has at most.</summary>
    public const int Most = 3;

    private readonly double[] _weights = new double[Enum.GetValues<ReplicaFault>().Length];
    private readonly int[] _replicas;
    private readonly ServicePlan?[] _services;

    public ReplicaPlan(int seed, int instances)
    {
        Random = new Random(seed ^ 0x7E91);
        // Where messages kill in one schedule of four; not where a seed is after one cell of the table.
        IsOn = (seed % 3 != 0 || seed / 3 % 4 == 0) && SimAim.Of(seed) is null && Random.Next(32) < 15;
        _replicas = new int[instances];
        _services = new ServicePlan?[instances];
        if (!IsOn)
        {
            return;
        }

        for (int i = 0; i < instances; i++)
        {
            bool inService = Random.Next(3) == 0;
            _services[i] = inService ? new ServicePlan(seed, i) : null;
            _replicas[i] = Random.Next(3) == 0 ? 0 : Random.Next(1, Most + 1);
        }

        _replicas[Random.Next(instances)] = Random.Next(2, Most + 1);
        for (int i = 0; i < _weights.Length; i++)
        {
            _weights[i] = Random.Next(2) == 0 ? Random.NextDouble() : 0;
        }

        _weights[(int)ReplicaFault.PrimaryKilled] += 0.2;
        FaultRate = Random.NextDouble() * 0.01;
        TakeoverAfter = TimeSpan.FromSeconds(Random.Next(4) == 0 ? 0 : Random.Next(3, 6));
        LeaseDuration = TimeSpan.FromSeconds(Random.Next(2, 5));
        AmbushesPromotions = Random.Next(4) == 0;
    }

    /// <summary>Whether some instance of this schedule has replicas.</summary>
    public bool IsOn { get; }

    /// <summary>Chance that concerns nothing else.</summary>
    public Random Random { get; }

    /// <summary>How many times as many steps the schedule gets.</summary>
    public int StepsFactor => IsOn ? Stretch : 1;

    /// <summary>Faults of replicas for each step.</summary>
    public double FaultRate { get; }

    /// <summary>How long secondaries watch a primary that does not move; zero: for ever.</summary>
    public TimeSpan TakeoverAfter { get; }

    /// <summary>Time that a lease runs which a service gives.</summary>
    public TimeSpan LeaseDuration { get; }

    /// <summary>A replica that is being promoted is killed, again and again.</summary>
    public bool AmbushesPromotions { get; }

    /// <summary>How many replicas an instance has; zero: there is one coordinator, which has no number.</summary>
    public int ReplicasOf(int instance) => _replicas[instance];

    /// <summary>The service that an instance which has replicas keeps its log in; null for files.</summary>
    public ServicePlan? ServiceOf(int instance) => _replicas[instance] > 0 ? _services[instance] : null;

    /// <summary>Whether some instance has replicas that follow a log in a service.</summary>
    public bool FollowsInService =>
        Enumerable.Range(0, _replicas.Length).Any(i => _replicas[i] > 1 && ServiceOf(i) is { HasNumbers: true });

    public ReplicaFault DrawFault()
    {
        double drawn = Random.NextDouble() * _weights.Sum();
        int fault = 0;
        while (drawn >= _weights[fault])
        {
            drawn -= _weights[fault++];
        }

        return (ReplicaFault)fault;
    }

    public override string ToString() =>
        IsOn ? $"replicas "
        + $"{string.Join(", ", _replicas.Select((count, i) => ServiceOf(i) is { } service ? $"{count} at {service}" : $"{count}"))}, "
        + $"promotion after {TakeoverAfter.TotalSeconds} s, fault rate {FaultRate:f4}" : "no replicas";
}
