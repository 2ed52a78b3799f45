namespace Ambrosia.Simulation.Tests;

/// <summary>
/// In which schedules the catalog takes its time and fails, and a sender beside the instances is erased and made again under its name: one
/// in seven. Drawn from a source of its own, so that all other seeds do what they did before.
/// </summary>
internal sealed class RemadePlan
{
    public RemadePlan(int seed)
    {
        Random = new Random(seed ^ 0x0E4A5ED);
        IsOn = seed % 7 == 6;
        LateOneIn = Random.Next(1, 6);
        FailsOneIn = Random.Next(3) == 0 ? 0 : Random.Next(3, 20);
        Longest = TimeSpan.FromMilliseconds(Random.Next(4) switch { 0 => 10, 1 => 100, 2 => 1000, _ => 5000 });
        Rate = 0.005 + Random.NextDouble() * 0.03;
        ErasedOneIn = Random.Next(2, 8);
        ZombieOneIn = Random.Next(1, 4);
    }

    /// <summary>Whether this schedule has such a sender and such a catalog.</summary>
    public bool IsOn { get; }

    /// <summary>Chance that concerns nothing else.</summary>
    public Random Random { get; }

    /// <summary>Every so-manieth answer of the catalog is late.</summary>
    public int LateOneIn { get; }

    /// <summary>Every so-manieth request to the catalog fails, before or after it was carried out; zero: none does.</summary>
    public int FailsOneIn { get; }

    /// <summary>How late an answer may be.</summary>
    public TimeSpan Longest { get; }

    /// <summary>What happens to the sender, for each step.</summary>
    public double Rate { get; }

    /// <summary>Every so-manieth end of the sender is for good: it comes back with another identity.</summary>
    public int ErasedOneIn { get; }

    /// <summary>Every so-manieth process that was replaced goes on for a while beside its successor.</summary>
    public int ZombieOneIn { get; }

    /// <summary>The identity that the sender has now.</summary>
    public RemadeIdentity? Newest { get; set; }

    /// <summary>Processes that stand still, and until when.</summary>
    public List<(long Due, RemadeProcess Process)> Pauses { get; } = [];

    /// <summary>From here on the catalog answers at once, and nothing happens to the sender any more.</summary>
    public bool Healed { get; set; }
}
