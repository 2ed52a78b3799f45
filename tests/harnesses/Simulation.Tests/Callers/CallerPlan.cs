using Ambrosia.Coordinator.Outside;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// In which schedules somebody outside calls instances, how often, how patiently, and how little is kept of it: one in three. Not where
/// messages kill, are dropped, or a seed is after one cell of the table. Drawn from a source of its own, so that all other seeds do what
/// they did before.
/// </summary>
internal sealed class CallerPlan
{
    private readonly int _oneIn;
    private readonly int _modes;

    public CallerPlan(int seed, bool mayBe)
    {
        Random = new Random((int)Bits.Mix((ulong)seed, 0x0075_1DE));
        IsOn = mayBe && Random.Next(3) == 0;
        _oneIn = Random.Next(5, 60);
        Callers = Random.Next(1, 4);
        Most = Random.Next(3, 15);
        Depth = Random.Next(3);
        _modes = Random.Next(1, 8);
        RepeatOneIn = Random.Next(2, 6);
        WithoutKeyOneIn = Random.Next(3) == 0 ? Random.Next(2, 8) : 0;
        LieOneIn = Random.Next(2) == 0 ? Random.Next(3, 10) : 0;
        CopyOneIn = Random.Next(2, 8);
        IsNumbered = Random.Next(3) == 0;
        LongestWait = Random.Next(2) == 0 ? 300 : 3000;
        TimeSpan keep = Random.Next(3) == 0 ? TimeSpan.FromHours(24) : TimeSpan.FromMilliseconds(Random.Next(1, 4000));
        Limits = new OutsideLimits
        {
            Keep = keep,
            KeepLeast = Random.Next(2) == 0 ? keep / 4 : TimeSpan.FromMilliseconds(Random.Next(1, 200)),
            MostCalls = Random.Next(3) == 0 ? Random.Next(4, 30) : 1_000_000,
            Shares = Random.Next(1, 4),
            MostCallers = Random.Next(3) == 0 ? 2 : 10_000,
            MostOfLine = Random.Next(3) == 0 ? Random.Next(1, 4) : 1024,
            MostAhead = TimeSpan.FromDays(36500), // The machines' clocks differ by years.
        };
    }

    /// <summary>Whether instances of this schedule are called from outside.</summary>
    public bool IsOn { get; }

    /// <summary>Chance that concerns nothing else.</summary>
    public Random Random { get; }

    /// <summary>How many callers there are.</summary>
    public int Callers { get; }

    /// <summary>Calls that one has open at once.</summary>
    public int Most { get; }

    /// <summary>How deep its calls lead.</summary>
    public int Depth { get; }

    /// <summary>A call that has its answer is repeated with this chance: one in so many.</summary>
    public int RepeatOneIn { get; }

    /// <summary>One call in so many has no key; 0: each has one.</summary>
    public int WithoutKeyOneIn { get; }

    /// <summary>One call in so many comes with the key of another call; 0: none does.</summary>
    public int LieOneIn { get; }

    /// <summary>One call in so many comes twice at once.</summary>
    public int CopyOneIn { get; }

    /// <summary>Whether calls are numbered in a session instead of having a key each.</summary>
    public bool IsNumbered { get; }

    /// <summary>What instances keep.</summary>
    public OutsideLimits Limits { get; }

    private int LongestWait { get; }

    /// <summary>Whether somebody calls now.</summary>
    public bool Calls() => IsOn && Random.Next(_oneIn) == 0;

    /// <summary>Whether chance wants something that one in so many has.</summary>
    public bool Is(int oneIn) => oneIn > 0 && Random.Next(oneIn) == 0;

    /// <summary>How the next attempt asks.</summary>
    public AskingMode DrawMode()
    {
        AskingMode mode = (AskingMode)Random.Next(3);
        return mode == AskingMode.Call || (_modes >> (int)mode & 1) != 0 ? mode : AskingMode.Call;
    }

    /// <summary>How long an attempt waits.</summary>
    public TimeSpan DrawPatience() => TimeSpan.FromMilliseconds(1 + Random.Next(LongestWait));

    /// <summary>How long it is until the next one.</summary>
    public TimeSpan DrawPause() => TimeSpan.FromMilliseconds(1 + Random.Next(Random.Next(4) == 0 ? 2000 : 100));

    public override string ToString() => !IsOn ? "nobody calls from outside"
        : $"outside: {Callers} callers, one step in {_oneIn}, {Most} at once{(IsNumbered ? ", numbered" : "")}, {Limits}";
}
