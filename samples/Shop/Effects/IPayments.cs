using Ambrosia;

namespace Shop.Effects;

/// <summary>Another company's service for payments.</summary>
[EffectInterface]
public interface IPayments
{
    /// <summary>Asks it to take money, and to say so at an address.</summary>
    Task Ask(int order, decimal amount, string url, EffectContext effect);

    /// <summary>Asks it to give the money back.</summary>
    Task Refund(int order, decimal amount, EffectContext effect);
}
