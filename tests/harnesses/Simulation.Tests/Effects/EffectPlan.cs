namespace Ambrosia.Simulation.Tests;

/// <summary>
/// In which schedules apps ask for effects on the outside, for which, and what becomes of the attempts: about one in four. Not where a seed
/// is after one cell of the table, nor where outputs are dropped, for all apps are scripted there. Drawn from a source of its own, so that
/// all other seeds do what they did before.
/// </summary>
internal sealed class EffectPlan
{
    /// <summary>Effects that one instance may have pending.</summary>
    public const int MaxPending = 6;

    private const int MostDeaths = 2;
    private readonly double[] _steps = new double[Enum.GetValues<EffectStep>().Length];
    private readonly double[] _faults = new double[Enum.GetValues<OutsideFault>().Length];
    private readonly Dictionary<ulong, int> _deaths = [];
    private readonly HashSet<ulong> _mended = [];
    private readonly ulong _salt;
    private readonly ulong _oneIn;
    private readonly ulong _deadlyOneIn;
    private readonly bool _oneIsLasting;
    private readonly int _repeatOneIn;
    private ulong? _lasting;
    private bool _isHealed;

    public EffectPlan(int seed, bool mayBe)
    {
        Random = new Random((int)Bits.Mix((ulong)seed, 0xEFFEC7));
        IsOn = mayBe && Random.Next(3) == 0;
        _salt = (ulong)Random.NextInt64();
        _oneIn = (ulong)Random.Next(2, 6);
        AtOnce = Random.Next(1, 4);
        Drain = TimeSpan.FromMilliseconds(Random.Next(2) == 0 ? 0 : Random.Next(50, 1000));
        // A third of the kinds is left out: what is rare in a mix of everything must be common somewhere.
        Draw(_steps);
        _steps[(int)EffectStep.Pay] += 0.3;
        Draw(_faults);
        _faults[(int)OutsideFault.None] = Random.Next(1, 8);
        _deadlyOneIn = Random.Next(3) == 0 ? (ulong)Random.Next(3, 12) : 0;
        _oneIsLasting = Random.Next(2) == 0;
        _repeatOneIn = Random.Next(2) == 0 ? 0 : Random.Next(2, 10);
    }

    /// <summary>Whether apps of this schedule ask for effects.</summary>
    public bool IsOn { get; }

    /// <summary>Chance that concerns nothing else.</summary>
    public Random Random { get; }

    /// <summary>How many attempts an app lets run at once.</summary>
    public int AtOnce { get; }

    /// <summary>How long an app that is to stop waits for the attempts that run.</summary>
    public TimeSpan Drain { get; }

    /// <summary>What is asked of the outside at a step of a handler; null: nothing.</summary>
    public EffectStep? StepOf(ulong id) =>
        IsOn && Bits.Mix(id, _salt) % _oneIn == 0 ? (EffectStep)At(_steps, Bits.Mix(id, _salt + 1) % 10_000 / 10_000.0) : null;

    /// <summary>Whether the outside refuses it: an answer like any other.</summary>
    public bool IsRefused(ulong id) => Bits.Mix(id, _salt + 2) % 10 == 0;

    /// <summary>Whether its receipt is too large to be logged, where that can be.</summary>
    public bool IsTooLarge(ulong id) => Bits.Mix(id, _salt + 3) % 8 == 0;

    /// <summary>What becomes of the next attempt; nothing goes wrong any more once all is healed.</summary>
    public OutsideFault DrawFault() => _isHealed ? OutsideFault.None : (OutsideFault)At(_faults, Random.NextDouble());

    /// <summary>Whether an outcome comes once more, as from a process that was replaced and has not noticed.</summary>
    public bool DrawRepetition() => IsOn && _repeatOneIn > 0 && Random.Next(_repeatOneIn) == 0;

    /// <summary>A time that the outside takes.</summary>
    public TimeSpan DrawTime() => TimeSpan.FromMilliseconds(Random.Next(3) == 0 ? 0 : Random.Next(1, 40));

    /// <summary>
    /// True if the process that begins this ends; the end is counted. Effects that kill do so once or twice, but one of half of the
    /// schedules does it until somebody mends what is outside. More than one would wait for each other, and each for minutes.
    /// </summary>
    public bool Kills(ulong id)
    {
        if (_deadlyOneIn == 0 || Bits.Mix(id, _salt + 4) % _deadlyOneIn != 0 || _mended.Contains(id))
        {
            return false;
        }

        _lasting ??= _oneIsLasting ? id : null;
        int deaths = _deaths[id] = _deaths.GetValueOrDefault(id) + 1;
        return _lasting == id || deaths <= (int)(Bits.Mix(id, _salt + 5) % MostDeaths) + 1;
    }

    /// <summary>Whatever let an effect kill is mended.</summary>
    public void Mend(ulong id) => _mended.Add(id);

    /// <summary>From here on nothing goes wrong by chance. What kills goes on to.</summary>
    public void Heal() => _isHealed = true;

    public override string ToString() => !IsOn ? "no effects"
        : $"effects: one step in {_oneIn}, {AtOnce} at once, one in {_deadlyOneIn} kills{(_oneIsLasting ? ", the first for ever" : "")}";

    private void Draw(double[] weights)
    {
        for (int i = 0; i < weights.Length; i++)
        {
            weights[i] = Random.Next(3) == 0 ? 0 : Random.NextDouble();
        }
    }

    private static int At(double[] weights, double chance)
    {
        double drawn = chance * weights.Sum();
        int chosen = 0;
        while (chosen < weights.Length - 1 && drawn >= weights[chosen])
        {
            drawn -= weights[chosen++];
        }

        return chosen;
    }
}
