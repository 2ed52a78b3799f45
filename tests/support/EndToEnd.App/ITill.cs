using Ambrosia;

namespace EndToEnd;

/// <summary>What a node asks of the world outside.</summary>
[EffectInterface]
public interface ITill
{
    Task<string> Charge(int customer, EffectContext effect);
}
