using Ambrosia.Coordinator.Outside;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// In which schedules handlers open awakeables, and how people complete them: in two of three of those in which somebody outside calls.
/// Drawn from a source of its own.
/// </summary>
internal sealed class AwakeablePlan
{
    /// <summary>Address of each instance's awakeables.</summary>
    public const string Address = "http://outside";

    private readonly int _oneIn;
    private readonly int _actsOneIn;

    public AwakeablePlan(int seed, bool mayBe)
    {
        Random = new Random((int)Bits.Mix((ulong)seed, 0x00A3_A4E));
        IsOn = mayBe && Random.Next(3) > 0;
        _oneIn = Random.Next(3, 30);
        _actsOneIn = Random.Next(3, 40);
    }

    /// <summary>Whether handlers of this schedule open awakeables.</summary>
    public bool IsOn { get; }

    /// <summary>Chance that concerns nothing else.</summary>
    public Random Random { get; }

    /// <summary>Whether somebody completes one now.</summary>
    public bool Acts() => IsOn && Random.Next(_actsOneIn) == 0;

    /// <summary>Whether this step of a handler opens one.</summary>
    public bool Opens(ulong id) => IsOn && Bits.Mix(id, 0xA3A4) % (ulong)_oneIn == 0;

    /// <summary>Its deadline; null for none.</summary>
    public static TimeSpan? DeadlineOf(ulong id) =>
        Bits.Mix(id, 0xA3A5) % 3 == 0 ? TimeSpan.FromMilliseconds(Bits.Mix(id, 0xA3A6) % 200) : null;

    /// <summary>
    /// What instances keep: not so little that nobody can complete anything until enough is forgotten, which may take longer than a
    /// schedule.
    /// </summary>
    public OutsideLimits On(OutsideLimits limits) => !IsOn ? limits
        : limits with { MostCalls = 1_000_000, MostCallers = limits.MostCallers + 1, MostOfLine = 1024 };

    public override string ToString() => IsOn ? $"awakeables: one step in {_oneIn}, completed at one in {_actsOneIn}" : "no awakeables";
}
