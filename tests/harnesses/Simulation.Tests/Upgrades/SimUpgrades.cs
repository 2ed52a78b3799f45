namespace Ambrosia.Simulation.Tests;

/// <summary>Replaces apps by those of another version while they serve, and lets somebody die at the steps of that.</summary>
internal sealed class SimUpgrades(SimWorld world, IReadOnlyList<SimNode> nodes)
{
    private const int Newest = 2;
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

    /// <summary>Sees whether apps that were to replace others have done so, or have gone.</summary>
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

    /// <summary>What an app that is to be started where none serves knows of versions; null: nothing special.</summary>
    public WalkerVersions? Choose(SimNode node)
    {
        // Before anything was executed there is nothing to convert, and the first version that comes is the instance's.
        if (!Plan.GoesBack || node.Scripted || world.Oracle.LastMessageOf(node.Name) == 0)
        {
            return null;
        }

        return IsOneIn(Plan.InPlaceOneIn) ? Ask(node) : IsOneIn(Plan.OldOneIn)
            ? new WalkerVersions(Plan.Random.Next(1, Newest + 1), IsOld: true) : null;
    }

    private bool IsOneIn(int many) => many > 0 && Plan.Random.Next(many) == 0;

    private void Begin(SimNode node)
    {
        if (node.Acting is not { Candidate: null, AppAlive: true, Paused: false } acting
            || (!Plan.GoesBack && world.Oracle.VersionOf(node.Name) == Newest))
        {
            return;
        }

        acting.StartCandidate(Ask(node));
    }

    private WalkerVersions Ask(SimNode node)
    {
        int goal = Plan.GoesBack ? Newest + 1 - world.Oracle.VersionOf(node.Name) : Newest;
        world.Oracle.UpgradeBegins(node.Name, goal);
        return new WalkerVersions(goal, Replaces: true, Fails: Plan.Random.Next(Plan.FailingOneIn) == 0);
    }

    private void Strike(SimReplica replica)
    {
        int what = Plan.Random.Next(5);
        world.Print?.Invoke($"{replica.HostedCoordinator}: --- dies in an upgrade, {what}");
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
