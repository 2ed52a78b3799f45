namespace Ambrosia.Simulation.Tests;

/// <summary>Replaces apps by those of another version while they serve, and lets somebody die at the steps of that.</summary>
internal sealed class SimUpgrades(SimWorld world, IReadOnlyList<SimNode> nodes)
{
    private const int Goal = 2;
    private readonly List<SimNode> _nodes = [.. nodes.Where(static node => !node.Scripted)];

    private UpgradePlan Plan => world.Upgrades;

    /// <summary>One step of the schedule.</summary>
    public void Step()
    {
        if (_nodes.Count == 0)
        {
            return;
        }

        foreach (SimReplica replica in _nodes.SelectMany(static node => node.Replicas))
        {
            if (replica.TakeUpgradeStep() && Plan.BlowOneIn > 0 && Plan.Random.Next(Plan.BlowOneIn) == 0)
            {
                world.Report.Sometimes(Sighting.DiedInUpgrade);
                Strike(replica);
            }
        }

        if (Plan.Random.NextDouble() < Plan.Rate)
        {
            Begin(_nodes[Plan.Random.Next(_nodes.Count)]);
        }
    }

    /// <summary>Sees whether apps that were to take over have, or have gone.</summary>
    public void Look()
    {
        foreach (SimNode node in _nodes)
        {
            foreach (SimReplica replica in node.Replicas)
            {
                replica.LookAtCandidate();
            }
        }
    }

    private void Begin(SimNode node)
    {
        // Not the way back: a follower of the version before may still be at work, and which of the two it belongs to could not be told.
        if (node.Acting is not { Candidate: null, AppAlive: true, Paused: false } acting || world.Oracle.VersionOf(node.Name) == Goal)
        {
            return;
        }

        world.Oracle.UpgradeBegins(node.Name, Goal);
        acting.StartCandidate(Goal, fails: Plan.Random.Next(Plan.FailingOneIn) == 0);
    }

    private void Strike(SimReplica replica)
    {
        int what = Plan.Random.Next(5);
        world.Print?.Invoke($"{replica.CoordinatorHost}: --- dies in an upgrade, {what}");
        switch (what)
        {
            case 0:
                replica.KillCoordinator();
                break;
            case 1:
                replica.KillApp();
                break;
            case 2:
                replica.KillCandidate();
                break;
            case 3:
                replica.Stop();
                break;
            default:
                replica.KillCoordinator();
                replica.KillApp();
                replica.KillCandidate();
                break;
        }
    }
}
