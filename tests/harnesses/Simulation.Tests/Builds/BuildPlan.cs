namespace Ambrosia.Simulation.Tests;

/// <summary>
/// Which build each app of a schedule is made from: about one schedule in five has several, whose handlers leave other states behind. Not
/// where messages kill, versions change, or checkpoints rot: what a newer build executed counts as the older one's where an older
/// checkpoint stands in (docs/guide/builds.md). Drawn from a source of its own, so that all other seeds do what they did before.
/// </summary>
internal sealed class BuildPlan
{
    private readonly Dictionary<string, ulong> _newest = [];
    private readonly HashSet<(string Instance, ulong Build)> _unsaved = [];
    private readonly Random _random;
    private readonly int _newOneIn;

    public BuildPlan(int seed, bool mayBe)
    {
        _random = new Random(seed ^ 0xB11D);
        IsOn = mayBe && _random.Next(3) == 0;
        _newOneIn = _random.Next(2, 6);
    }

    /// <summary>Whether builds change in this schedule.</summary>
    public bool IsOn { get; }

    /// <summary>The build of the next app of an instance: the newest, the one before, or one that is newer still.</summary>
    public ulong Next(string instance)
    {
        ulong newest = _newest.GetValueOrDefault(instance, 1ul);
        if (IsOn && _random.Next(_newOneIn) == 0)
        {
            _newest[instance] = ++newest;
        }

        return newest > 1 && _random.Next(4) == 0 ? newest - 1 : newest;
    }

    /// <summary>A build acts although its first checkpoint was reported as not written.</summary>
    public void ActsUnsaved(string instance, ulong build) => _unsaved.Add((instance, build));

    /// <summary>Whether it did once: that checkpoint may be found nevertheless, when only the folder's sync had failed.</summary>
    public bool HasActedUnsaved(string instance, ulong build) => _unsaved.Contains((instance, build));
}
