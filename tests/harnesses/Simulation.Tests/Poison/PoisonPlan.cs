namespace Ambrosia.Simulation.Tests;

/// <summary>
/// Which messages of a schedule end the process that executes them, and for how long: some do so for ever, some once or twice and are then
/// survived, all of them until a build comes that knows better. Of several replicas each is spared by a third of them: it has what the
/// others want for. Decided by the id of the call, in every third seed; drawn from a source of its own, so that all other seeds do what
/// they did before.
/// </summary>
internal sealed class PoisonPlan
{
    private const int MostOfSpared = 4;
    private readonly Random _random;
    private readonly ulong _salt;
    private readonly ulong _oneIn;
    private readonly Dictionary<ulong, int> _deaths = [];
    private readonly Dictionary<string, ulong> _lastVictim = [];
    private readonly HashSet<ulong> _cured = [];

    public PoisonPlan(int seed)
    {
        IsOn = seed % 3 == 0;
        _random = new Random(seed ^ 0x5019);
        _salt = (ulong)_random.NextInt64();
        _oneIn = (ulong)_random.Next(8, 60);
        QuarantineAfter = _random.Next(4) switch { 0 => 3, 1 => 1, _ => 0 };
        KernelTells = _random.Next(4) != 0;
    }

    /// <summary>Whether this schedule has such messages.</summary>
    public bool IsOn { get; }

    /// <summary>The coordinators' policy.</summary>
    public int QuarantineAfter { get; }

    /// <summary>Coordinators learn how an app's process ended; else every end may count.</summary>
    public bool KernelTells { get; }

    /// <summary>Chance that concerns nothing else.</summary>
    public Random Random => _random;

    /// <summary>The build that the apps of an instance are made from: another one after each repair.</summary>
    public int BuildOf(string instance) => _builds.GetValueOrDefault(instance, 1);

    private readonly Dictionary<string, int> _builds = [];

    /// <summary>True if the process that begins this at once ends; the end is counted.</summary>
    public bool KillsAtBegin(AppLife life, ulong id) => Bits.Mix(id, _salt) % 3 != 0 && Kills(life, id);

    /// <summary>True if the process that was waiting for this ends when the answer comes.</summary>
    public bool KillsAtAnswer(AppLife life, ulong id) => Bits.Mix(id, _salt) % 3 == 0 && Kills(life, id);

    /// <summary>A new build survives what ended the last one.</summary>
    public void Repair(string instance)
    {
        _builds[instance] = BuildOf(instance) + 1;
        if (_lastVictim.TryGetValue(instance, out ulong id))
        {
            _cured.Add(id);
        }
    }

    private bool Kills(AppLife life, ulong id)
    {
        if (!IsOn || Bits.Mix(id, _salt + 1) % _oneIn != 0 || _cured.Contains(id) || Spares(life, id))
        {
            return false;
        }

        ulong kind = Bits.Mix(id, _salt + 2) % 5;
        int deaths = _deaths.GetValueOrDefault(id) + 1;
        if ((kind < 2 && deaths > (int)kind + 1) || (deaths > MostOfSpared && IsSparedSomewhere(life, id)))
        {
            return false; // It killed once or twice; what it needed has come back meanwhile.
        }

        _deaths[id] = deaths;
        _lastVictim[life.Instance] = id;
        return true;
    }

    private bool Spares(AppLife life, ulong id) => life.Replica is { } replica && Spares(replica, id);

    private bool Spares(int replica, ulong id) => Bits.Mix(id, _salt + 3 + (ulong)replica) % 3 == 0;

    // Where a primary survives it nobody takes it out, and those who follow would die of it for ever.
    private bool IsSparedSomewhere(AppLife life, ulong id) =>
        life.Replica is not null && Enumerable.Range(0, ReplicaPlan.Most).Any(replica => Spares(replica, id));
}
