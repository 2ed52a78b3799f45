using Ambrosia;

namespace Orders;

/// <summary>Money, which moves outside.</summary>
[EffectInterface]
public interface IPayments
{
    /// <summary>Takes money.</summary>
    Task Charge(int order, decimal amount, EffectContext effect);

    /// <summary>Gives it back.</summary>
    Task Refund(int order, decimal amount, EffectContext effect);
}
