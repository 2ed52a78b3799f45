using Ambrosia.Coordinator.Transport.Memory;


namespace Ambrosia.Simulation.Tests;

/// <summary>Does to replicas what a schedule has drawn: kills, stalls and moves those who serve, follow and make checkpoints; takes
/// replicas away and brings new ones.</summary>
internal sealed class SimReplicaFaults(SimWorld world, IReadOnlyList<SimNode> nodes, SimFaults faults)
{
    private const int LookEvery = 16;
    private const int MostAmbushes = 6;
    private readonly List<SimNode> _nodes = [.. nodes.Where(static node => node.HasReplicas)];
    private int _steps;
    private int _ambushes;

    private ReplicaPlan Plan => world.Replicas;

    private Random Random => Plan.Random;

    /// <summary>One step of the schedule.</summary>
    public void Step()
    {
        if (++_steps % LookEvery == 0)
        {
            _nodes.ForEach(Look);
        }

        if (world.Poison.IsOn)
        {
            _nodes.ForEach(AmbushDecision);
        }

        if (Random.NextDouble() < Plan.FaultRate)
        {
            Do(Plan.DrawFault(), _nodes[Random.Next(_nodes.Count)]);
        }
    }

    /// <summary>
    /// From here on nothing is broken any more; but an instance may have to do with one of its replicas, or with a primary that does not
    /// move and is not woken.
    /// </summary>
    public void Heal()
    {
        foreach (SimNode node in _nodes)
        {
            int fate = Random.Next(3);
            SimReplica one = node.Replicas[Random.Next(node.Replicas.Count)];
            foreach (SimReplica replica in node.Replicas)
            {
                replica.Wire?.Heal();
                replica.Wanted = fate != 0 || replica == one;
                if (!replica.Wanted)
                {
                    Kill(replica);
                }
            }

            if (fate == 0 && node.Replicas.Count > 1)
            {
                See(node, one, Sighting.ServedByOneOfSeveral);
            }
            else if (fate == 1 && Plan.TakeoverAfter > TimeSpan.Zero && node.Acting is
                { } acting && acting.CanBeMissed && node.Replicas.Any(static replica => replica.Follows || replica.Waits))
            {
                See(node, acting, Sighting.PrimaryStalled);
                acting.Pause(app: false);
            }
        }
    }

    /// <summary>All replicas run again, and what was left standing moves.</summary>
    public void BringAllBack()
    {
        foreach (SimReplica replica in _nodes.SelectMany(static node => node.Replicas))
        {
            replica.Wanted = true;
            replica.Resume();
        }
    }

    /// <summary>Everything is at rest: followers are where the log is.</summary>
    public void CountFollowers()
    {
        foreach (SimReplica replica in _nodes.SelectMany(static node => node.Replicas).Where(static replica => replica.Follows))
        {
            world.Report.Sometimes(Sighting.FollowedToTheEnd);
        }
    }

    private void Look(SimNode node)
    {
        foreach (SimReplica replica in node.Replicas)
        {
            replica.Look();
            if (Plan.AmbushesPromotions && _ambushes < MostAmbushes && replica.IsBeingPromoted && Random.Next(4) == 0)
            {
                _ambushes++;
                See(node, replica, Sighting.PromotedAndDied);
                replica.KillCoordinator();
            }
        }

        if (node.Acting is { App: { } app }
            && node.Replicas.Any(replica => replica.Follows && replica.App?.Life.DoneLsn > app.Life.DoneLsn))
        {
            world.Report.Sometimes(Sighting.ReplicaLedTheApp);
        }
    }

    /// <summary>The primary's app has died of a message, and it may be about to decide about that: in these moments the others make
    /// checkpoints, of apps that may have survived it.</summary>
    private void AmbushDecision(SimNode node)
    {
        foreach (SimReplica replica in node.Replicas)
        {
            if (replica.TakeDeathInMessage() && replica == node.Acting && Random.Next(2) == 0)
            {
                faults.After(TimeSpan.FromMilliseconds(Random.Next(60)), node.AskForCheckpoints);
            }
        }
    }

    private void Do(ReplicaFault fault, SimNode node)
    {
        switch (fault)
        {
            case ReplicaFault.PrimaryKilled:
                Hit(node, node.Acting, Sighting.PrimaryKilled, static replica => replica.KillCoordinator());
                break;
            case ReplicaFault.SecondaryKilled:
                Hit(node, Draw(node, static replica => replica.Follows), Sighting.SecondaryKilled, Kill);
                break;
            case ReplicaFault.CheckpointerKilled:
                Hit(node, Draw(node, static replica => replica.Role == "checkpointer"), Sighting.CheckpointerKilled, Kill);
                break;
            case ReplicaFault.SeveralKilled:
                Hit(node, node.Acting, Sighting.SeveralReplicasKilled, replica =>
                {
                    Draw(node, other => other != replica && other.CoordinatorAlive)?.KillCoordinator();
                    Kill(replica);
                });
                break;
            case ReplicaFault.AllKilled:
                Hit(node, node.Acting, Sighting.AllReplicasKilled, _ =>
                {
                    node.KillCoordinator();
                    node.KillApp();
                });
                break;
            case ReplicaFault.AppOfSecondaryKilled:
                Hit(node, Draw(node, static replica => replica.Follows && replica.AppAlive), Sighting.AppOfSecondaryKilled,
                    static replica => replica.KillApp());
                break;
            case ReplicaFault.PrimaryStopped:
                Hit(node, node.Acting, Sighting.PrimaryStopped, static replica => replica.Stop());
                break;
            case ReplicaFault.PrimaryStalled:
                Hit(node, node.Acting, Sighting.PrimaryStalled, Stall);
                break;
            case ReplicaFault.SecondaryStalled:
                Hit(node, Draw(node, static replica => replica.Follows), Sighting.SecondaryStalled, Stall);
                break;
            case ReplicaFault.PrimaryCutOff:
                Hit(node, node.Acting, Sighting.PrimaryCutOff, replica => CutOff(node, replica));
                break;
            default:
                Change(fault, node);
                break;
        }
    }

    /// <summary>Changes who runs.</summary>
    private void Change(ReplicaFault fault, SimNode node)
    {
        switch (fault)
        {
            case ReplicaFault.ServiceTroubled:
                if (node.Service is not null)
                {
                    Hit(node, node.Acting ?? node.Replicas[0], Sighting.ServiceTroubled, replica => Trouble(node, replica));
                }

                break;
            case ReplicaFault.PlaceSought:
                Hit(node, Draw(node, replica => replica != node.Acting && !replica.Paused), Sighting.PlaceSought, node.SeekPlace);
                break;
            case ReplicaFault.ReplicaAdded:
                Hit(node, Draw(node, static replica => !replica.Wanted), Sighting.ReplicaAdded, static replica => replica.Wanted = true);
                break;
            case ReplicaFault.ReplicaRemoved:
                bool several = node.Replicas.Count(static replica => replica.Wanted) > 1;
                Hit(node, several ? Draw(node, static replica => replica.Wanted) : null, Sighting.ReplicaRemoved, Remove);
                break;
            default:
                break;
        }
    }

    private void Hit(SimNode node, SimReplica? replica, Sighting what, Action<SimReplica> how)
    {
        if (replica is not null)
        {
            See(node, replica, what);
            how(replica);
        }
    }

    private void See(SimNode node, SimReplica replica, Sighting what)
    {
        world.Report.Sometimes(what);
        world.Print?.Invoke($"{node.Name}: --- {what}, replica {replica.Number}, {replica.Role}");
    }

    private SimReplica? Draw(SimNode node, Func<SimReplica, bool> fits)
    {
        SimReplica[] found = [.. node.Replicas.Where(fits)];
        return found.Length == 0 ? null : found[Random.Next(found.Length)];
    }

    private static void Kill(SimReplica replica)
    {
        replica.KillCoordinator();
        replica.KillApp();
    }

    /// <summary>For a moment, or for longer than anybody waits.</summary>
    private void Stall(SimReplica replica)
    {
        replica.Pause(app: false);
        faults.After(TimeSpan.FromMilliseconds(Random.Next(2) == 0 ? Random.Next(1, 1000) : Random.Next(1, 15_000)), replica.Resume);
    }

    private void Remove(SimReplica replica)
    {
        replica.Wanted = false;
        if (Random.Next(2) == 0)
        {
            replica.Stop();
        }
        else
        {
            Kill(replica);
        }
    }

    /// <summary>All replicas have trouble with their service, or the one that serves, or any.</summary>
    private void Trouble(SimNode node, SimReplica acting)
    {
        SimReplica[] hit = Random.Next(3) switch
            { 0 => [.. node.Replicas], 1 => [acting], _ => [node.Replicas[Random.Next(node.Replicas.Count)]] };
        Array.ForEach(hit, replica => Trouble(replica.Wire!));
    }

    /// <summary>Requests and answers are lost, or refused, or come so late that others have the lease; or nothing comes.</summary>
    private void Trouble(ServiceWire wire)
    {
        wire.Loss = Random.Next(2) == 0 ? Random.NextDouble() * 0.5 : 0;
        wire.Lateness = Random.Next(2) == 0 ? Random.NextDouble() * 0.5 : 0;
        wire.Refusals = Random.Next(4) == 0 ? Random.NextDouble() : 0;
        wire.Longest = (0.1 + Random.NextDouble()) * 2 * Plan.LeaseDuration;
        wire.Down = wire is { Loss: 0, Lateness: 0, Refusals: 0 };
        faults.After(TimeSpan.FromMilliseconds(Random.Next(1, 6000)), wire.Heal);
    }

    /// <summary>Nothing passes between one replica and other instances; what it shares with its sisters is the disk.</summary>
    private void CutOff(SimNode node, SimReplica replica)
    {
        string host = replica.HostedCoordinator;
        string[] others = [.. nodes.Where(other => other != node).SelectMany(static other => other.Replicas)
            .Select(static other => other.HostedCoordinator)];
        MemoryLink[] links = [.. world.Network.Links.Where(link =>
            (link.From == host && others.Contains(link.To)) || (link.To == host && others.Contains(link.From)))];
        Array.ForEach(links, static link => link.Stall());
        Array.ForEach(others, other =>
        {
            world.Network.Block(host, other);
            world.Network.Block(other, host);
        });
        faults.After(TimeSpan.FromMilliseconds(Random.Next(1, 8000)), () =>
        {
            Array.ForEach(links, static link => link.Resume());
            Array.ForEach(others, other =>
            {
                world.Network.Unblock(host, other);
                world.Network.Unblock(other, host);
            });
        });
    }
}
