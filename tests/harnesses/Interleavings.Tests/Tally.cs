namespace Ambrosia.Interleavings.Tests;

/// <summary>What was explored.</summary>
public sealed class Tally
{
    private readonly HashSet<ulong> _seen = [];

    public int Schedules { get; private set; }

    public int Distinct { get; private set; }

    public long Steps { get; private set; }

    public long Switches { get; private set; }

    public long Waits { get; private set; }

    public void Count(ulong hash, int steps, int switches, int waits)
    {
        Schedules++;
        Distinct += _seen.Add(hash) ? 1 : 0;
        (Steps, Switches, Waits) = (Steps + steps, Switches + switches, Waits + waits);
    }

    /// <summary>Adds what another scene has explored: different scenes have no interleaving in common.</summary>
    public void Add(Tally other)
    {
        Schedules += other.Schedules;
        Distinct += other.Distinct;
        (Steps, Switches, Waits) = (Steps + other.Steps, Switches + other.Switches, Waits + other.Waits);
    }

    public override string ToString() =>
        $"{Schedules} schedules, {Distinct} different interleavings, {Steps} steps, {Switches} switches, {Waits} waits";
}
