using Ambrosia.Runtime;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// Which key an effect must have that a turn asks for: counted beside the binding, which counts by itself (docs/internals/effect-rules.md
/// E3).
/// </summary>
internal sealed class EffectOrdinals
{
    private long _turn = -1;
    private int _next;

    /// <summary>The key of the next effect of the present turn.</summary>
    public EffectKey Next(TurnClock clock)
    {
        (_turn, _next) = (clock.TurnNumber, clock.TurnNumber == _turn ? _next : 0);
        return new EffectKey(clock.Lsn, clock.Index, _next++);
    }
}
