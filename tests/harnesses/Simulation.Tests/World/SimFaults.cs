using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Memory;
using Ambrosia.Primitives;

namespace Ambrosia.Simulation.Tests;

/// <summary>Does what a schedule has drawn, and undoes it after a while where it has an end.</summary>
internal sealed class SimFaults(SimWorld world, List<SimNode> nodes)
{
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(8);
    private readonly PriorityQueue<Action, (long Due, int Order)> _endings = new();
    private const int MostAimed = 30;
    private readonly int[] _aimedAt = new int[Enum.GetValues<SimFault>().Length];
    private int _order;
    private int _aimed;

    private Random Random => world.Loop.Random;

    /// <summary>When the next fault ends by itself.</summary>
    public long NextEnding => _endings.TryPeek(out _, out (long Due, int Order) next) ? next.Due : long.MaxValue;

    public void EndDue()
    {
        while (NextEnding <= world.Loop.Now)
        {
            _endings.Dequeue()();
        }
    }

    /// <summary>From here on nothing is broken any more, except what is dead.</summary>
    public void Heal()
    {
        while (_endings.TryDequeue(out Action? end, out _))
        {
            end();
        }

        foreach (SimNode node in nodes)
        {
            node.Disk.Disarm();
            node.Resume();
            foreach (SimNode other in nodes)
            {
                Unblock(node, other);
            }
        }

        foreach (MemoryLink link in world.Network.Links)
        {
            link.Resume();
        }
    }

    /// <summary>
    /// Strikes one instance if it is in the state that the schedule is after, by what has struck there least, and helps it to get there.
    /// </summary>
    public void Take(SimAim aim)
    {
        SimNode node = nodes[Random.Next(nodes.Count)];
        if (_aimed < MostAimed && aim.OfDisk)
        {
            ArmFor(aim, node);
        }
        else if (_aimed < MostAimed && node.State == aim.State && Random.Next(3) == 0)
        {
            SimFault fault = Next(aim);
            if (fault is >= SimFault.LinkCut and <= SimFault.OldLinkReturned)
            {
                HitLink(fault, [.. world.Network.Links.Where(link => node.HasHost(link.To))]);
            }
            else
            {
                Do(fault, node);
            }
        }

        Help(aim.State, node);
    }

    private void ArmFor(SimAim aim, SimNode node)
    {
        if (!node.Disk.IsArmed && Random.Next(10) == 0)
        {
            node.Disk.Arm(Next(aim), aim.State);
        }
        else if (Random.Next(150) == 0)
        {
            node.Disk.DisarmAimed(); // Its call does not come in this state: another's may.
        }
    }

    private SimFault Next(SimAim aim)
    {
        _aimed++;
        SimFault next = aim.Faults.MinBy(fault => (_aimedAt[(int)fault], Random.Next()));
        _aimedAt[(int)next]++;
        return next;
    }

    /// <summary>Brings an instance nearer to a state, if chance wants it.</summary>
    private void Help(SimState state, SimNode node)
    {
        switch (state)
        {
            case SimState.Draining when node.CoordinatorAlive && Random.Next(60) == 0:
                node.Stop();
                break;
            case SimState.AppGone or SimState.Recovering when Random.Next(200) == 0:
                node.KillApp();
                break;
            case SimState.CatchingUp when !node.Paused && Random.Next(100) == 0:
                node.Replicas[0].Pause(app: true);
                Later(node.Resume);
                break;
            case SimState.Opening or SimState.Recovering or SimState.AppRestoring or SimState.Reconnecting or SimState.Spilling
                when Random.Next(300) == 0:
                node.KillCoordinator();
                break;
            default:
                break;
        }
    }

    public void Do(SimFault fault) => Do(fault, nodes[Random.Next(nodes.Count)]);

    private void Do(SimFault fault, SimNode node)
    {
        switch (fault)
        {
            case SimFault.EveryoneKilled or SimFault.EveryonePowerCut:
                foreach (SimNode each in nodes)
                {
                    HitProcess(fault, each);
                }

                break;
            case <= SimFault.HostLost:
                HitProcess(fault, node);
                break;
            case SimFault.LinkCut or SimFault.LinkStalled or SimFault.LinkStalledOneWay or SimFault.LinkSevered or SimFault.OldLinkReturned:
                HitLink(fault, world.Network.Links);
                break;
            case SimFault.Partitioned or SimFault.PartitionedOneWay:
                Partition(fault, node, nodes[Random.Next(nodes.Count)]);
                break;
            case SimFault.Clogged:
                Clog(node);
                break;
            case SimFault.DiskStalled:
                world.Count(fault, node);
                node.Disk.Stall(Duration());
                break;
            case SimFault.BitRot:
                if (!world.Builds.IsOn && !node.CoordinatorAlive && node.Rot())
                {
                    world.Count(fault, node);
                }

                break;
            case SimFault.ClockForward or SimFault.ClockBack:
                world.Count(fault, node);
                TimeSpan jump = Random.Next(3) switch { 0 => TimeSpan.FromSeconds(Random.Next(100)), 1 =>
                    TimeSpan.FromHours(Random.Next(100)), _ => TimeSpan.FromDays(Random.Next(3650)) };
                world.Oracle.Delays.ClockMoved(node.Name);
                node.MoveClock(fault == SimFault.ClockForward ? jump : -jump);
                break;
            default:
                node.Disk.Arm(fault); // Counted when it strikes.
                break;
        }
    }

    private void HitProcess(SimFault fault, SimNode node)
    {
        SimReplica replica = node.Pick();
        bool inVain = fault is SimFault.CoordinatorKilled or SimFault.CoordinatorPaused or SimFault.Stopped ? !replica.CoordinatorAlive
            : fault is SimFault.AppKilled or SimFault.AppPaused && !replica.AppAlive;
        if (!inVain)
        {
            world.Count(fault, node);
        }

        switch (fault)
        {
            case SimFault.CoordinatorKilled:
                replica.KillCoordinator();
                break;
            case SimFault.AppKilled:
                replica.KillApp();
                break;
            case SimFault.BothKilled:
                replica.KillCoordinator();
                replica.KillApp();
                break;
            case SimFault.EveryoneKilled:
                node.KillCoordinator();
                node.KillApp();
                break;
            case SimFault.PowerCut or SimFault.EveryonePowerCut:
                node.CutPower(silently: false);
                break;
            case SimFault.HostLost:
                List<MemoryLink> links = [.. LinksOf(node)];
                node.CutPower(silently: true);
                Later(() => links.ForEach(static link => link.Resume())); // What it had sent is still on its way.
                break;
            case SimFault.Stopped:
                replica.Stop();
                break;
            default:
                replica.Pause(app: fault == SimFault.AppPaused);
                Later(node.Resume);
                break;
        }
    }

    private void HitLink(SimFault fault, IReadOnlyList<MemoryLink> links)
    {
        // Half of the time the youngest: it is still introducing itself.
        MemoryLink? link = links.Count == 0 ? null : links[Random.Next(2) == 0 ? links.Count - 1 : Random.Next(links.Count)];
        // The socket between an app and its coordinator is in one kernel: it breaks when one of them ends, and else it is only slow.
        bool local = link?.EndPoint.Scheme == EndPointScheme.Pipe;
        if (link is null || (local && fault is not (SimFault.LinkStalled or SimFault.LinkStalledOneWay)))
        {
            return;
        }

        world.Count(fault, nodes.Find(node => link.To.StartsWith(node.Name + "-", StringComparison.Ordinal))!);
        switch (fault)
        {
            case SimFault.LinkCut:
                link.Cut();
                break;
            case SimFault.LinkStalled:
                link.Stall();
                Later(link.Resume);
                break;
            case SimFault.LinkStalledOneWay:
                bool forward = Random.Next(2) == 0;
                link.Stall(forward, !forward);
                Later(link.Resume);
                break;
            case SimFault.LinkSevered:
                link.Sever();
                break;
            default:
                // Long enough for both sides to give it up and make a new one; then what was under way arrives after all.
                link.Sever();
                Later(link.Resume, TimeSpan.FromSeconds(4));
                break;
        }
    }

    private void Partition(SimFault fault, SimNode from, SimNode to)
    {
        if (from == to)
        {
            return;
        }

        world.Count(fault, from);
        bool oneWay = fault == SimFault.PartitionedOneWay;
        List<MemoryLink> between = [];
        foreach (MemoryLink link in world.Network.Links)
        {
            bool onWay = from.HasHost(link.From) && to.HasHost(link.To);
            bool onWayBack = from.HasHost(link.To) && to.HasHost(link.From);
            if (onWay || onWayBack)
            {
                link.Stall(forward: onWay || !oneWay, backward: onWayBack || !oneWay);
                between.Add(link);
            }
        }

        Block(from, to);
        if (!oneWay)
        {
            Block(to, from);
        }

        Later(() =>
        {
            between.ForEach(static link => link.Resume());
            Unblock(from, to);
            Unblock(to, from);
        });
    }

    /// <summary>Swizzle-clog: one link after another stops, and they come back in another order.</summary>
    private void Clog(SimNode node)
    {
        world.Count(SimFault.Clogged, node);
        foreach (MemoryLink link in LinksOf(node))
        {
            var begin = TimeSpan.FromMilliseconds(Random.Next(200));
            Later(() =>
            {
                link.Stall();
                Later(link.Resume);
            }, begin, exactly: true);
        }
    }

    private IEnumerable<MemoryLink> LinksOf(SimNode node) =>
        world.Network.Links.Where(link => node.HasHost(link.From) || node.HasHost(link.To));

    private void Block(SimNode from, SimNode to) => ForEachWay(from, to, world.Network.Block);

    private void Unblock(SimNode from, SimNode to) => ForEachWay(from, to, world.Network.Unblock);

    private static void ForEachWay(SimNode from, SimNode to, Action<string, string> act)
    {
        foreach (SimReplica one in from.Replicas)
        {
            foreach (SimReplica other in to.Replicas)
            {
                act(one.HostedCoordinator, other.HostedCoordinator);
            }
        }
    }

    /// <summary>Something is over at a certain time.</summary>
    public void After(TimeSpan time, Action end) => Later(end, time, exactly: true);

    private TimeSpan Duration() => TimeSpan.FromTicks((long)(s_longest.Ticks * Math.Pow(Random.NextDouble(), 4)));

    private void Later(Action end, TimeSpan atLeast = default, bool exactly = false) =>
        _endings.Enqueue(end, (world.Loop.Now + (exactly ? atLeast : atLeast + Duration()).Ticks, _order++));
}
