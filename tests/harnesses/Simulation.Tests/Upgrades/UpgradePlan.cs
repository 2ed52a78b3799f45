namespace Ambrosia.Simulation.Tests;

/// <summary>
/// How often apps of a schedule are replaced by those of another version while they serve, how many of those conversions fail, and how
/// often somebody dies of it: about one schedule in eight. Drawn from a source of its own, so that all other seeds do what they did before.
/// </summary>
internal sealed class UpgradePlan
{
    // The first numbers of generators with neighbouring seeds are alike: by those alone none of the first ten thousand schedules would go
    // back.
    private const uint Spreading = 2654435761;

    public UpgradePlan(int seed)
    {
        Random = new Random(seed ^ 0x1BAD);
        // Not where messages kill, nor where a seed is after one cell of the table.
        IsOn = seed % 3 != 0 && SimAim.Of(seed) is null && Random.Next(4) == 0;
        Rate = 0.001 + Random.NextDouble() * 0.005;
        FailingOneIn = Random.Next(2, 6);
        BlowOneIn = Random.Next(3) == 0 ? 0 : Random.Next(2, 12);
        var back = new Random(seed ^ 0xBAC);
        bool also = (((uint)seed * Spreading) >> 16) % 3 == 0;
        GoesBack = IsOn && (back.Next(2) == 0 || also);
        InPlaceOneIn = back.Next(3) == 0 ? 0 : back.Next(2, 10);
        OldOneIn = back.Next(3) == 0 ? 0 : back.Next(2, 10);
    }

    /// <summary>Whether versions change in this schedule.</summary>
    public bool IsOn { get; }

    /// <summary>Whether they also go back to the version before, and forth again.</summary>
    public bool GoesBack { get; }

    /// <summary>Where they do: every so-manieth app that is started where none serves is to be another version; zero: none.</summary>
    public int InPlaceOneIn { get; }

    /// <summary>Where they do: every so-manieth such app is an old binary, which cannot read the state of another version; zero:
    /// none.</summary>
    public int OldOneIn { get; }

    /// <summary>Chance that concerns nothing else.</summary>
    public Random Random { get; }

    /// <summary>Attempts for each step.</summary>
    public double Rate { get; }

    /// <summary>Every so-manieth conversion throws.</summary>
    public int FailingOneIn { get; }

    /// <summary>At every so-manieth step of an upgrade somebody dies; zero: nobody does because of it.</summary>
    public int BlowOneIn { get; }
}
