namespace Ambrosia.Simulation.Tests;

/// <summary>
/// In which schedules outputs are dropped to instances that are away for too long, and instances stay away for so long: one in six. Drawn
/// from a source of its own, so that all other seeds do what they did before.
/// </summary>
internal sealed class DropPlan
{
    private readonly List<(SimNode Node, long Until)> _away = [];

    public DropPlan(int seed, bool mayBeOn)
    {
        Random = new Random(seed ^ 0xD409);
        IsOn = Random.Next(6) == 0 && mayBeOn;
        After = TimeSpan.FromMilliseconds(Random.Next(50, 3000));
        Rate = 0.002 + Random.NextDouble() * 0.01;
        MaxSpill = Random.Next(200, 3000);
    }

    /// <summary>Whether this schedule drops anything.</summary>
    public bool IsOn { get; }

    /// <summary>Chance that concerns nothing else.</summary>
    public Random Random { get; }

    /// <summary><c>--drop-outputs-after</c>.</summary>
    public TimeSpan After { get; }

    private double Rate { get; }

    private long MaxSpill { get; }

    /// <summary>
    /// Sizes with which a share of the scratch space is soon used up. Every app is scripted: those await nothing, and what awaits an
    /// answer to a message that was dropped would never end.
    /// </summary>
    public SimSettings Prepare(SimSettings settings) => !IsOn ? settings : settings with
    {
        Scripted = -1, MaxBuffered = 1, MaxLag = 1 << 30, MaxSpill = MaxSpill, MaxPayload = 20_000, Steps = settings.Steps * 3,
        ImpulseOneIn = Math.Min(settings.ImpulseOneIn, 30),
    };

    /// <summary>Now and then an instance goes away for long.</summary>
    public void Step(List<SimNode> nodes, long now)
    {
        _away.RemoveAll(away => away.Until <= now);
        if (_away.Count == 0 && Random.NextDouble() < Rate)
        {
            SimNode node = nodes[Random.Next(nodes.Count)];
            node.KillCoordinator();
            node.KillApp();
            _away.Add((node, now + TimeSpan.FromSeconds(Random.Next(1, 30)).Ticks));
        }
    }

    /// <summary>Whether an instance is not to be started yet.</summary>
    public bool IsAway(SimNode node) => _away.Exists(away => away.Node == node);

    /// <summary>Instances that are away come back.</summary>
    public void Heal() => _away.Clear();
}
