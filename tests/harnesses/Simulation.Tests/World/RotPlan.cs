namespace Ambrosia.Simulation.Tests;

/// <summary>
/// Schedules in which the newest checkpoint rots, the instance begins again with the one before and takes another, and that one rots too,
/// and so on: about one in eleven. Two are kept that were good in the
/// life that kept them, so none of it may stop an instance. Drawn from a source of its own, so that all other seeds do what they did
/// before.
/// </summary>
internal sealed class RotPlan
{
    private const double Rate = 0.01;
    private readonly Random _random;

    public RotPlan(int seed)
    {
        IsOn = seed % 11 == 7 && SimAim.Of(seed) is null;
        _random = new Random(seed ^ 0x2071);
    }

    /// <summary>Whether checkpoints rot in this schedule.</summary>
    public bool IsOn { get; }

    /// <summary>
    /// One step of the schedule: an instance that has a checkpoint that may rot now may lose its processes and find it rotten.
    /// </summary>
    public void Step(IReadOnlyList<SimNode> nodes)
    {
        foreach (SimNode node in nodes)
        {
            if (node.CanLoseNewestCheckpoint && _random.NextDouble() < Rate)
            {
                node.KillCoordinator();
                node.KillApp();
                node.RotNewestCheckpoint(_random);
            }
        }
    }
}
