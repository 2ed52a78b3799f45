namespace Ambrosia;

/// <summary>
/// Marks an interface of effects on the world outside of immortals: payments, mail, files. For <c>IPayments</c> the class
/// <c>PaymentsEffects</c> is generated, through
/// which a handler asks for them; an ordinary class performs them (docs/guide/effects.md).
/// </summary>
[AttributeUsage(AttributeTargets.Interface)]
public sealed class EffectInterfaceAttribute : Attribute
{
    /// <summary>
    /// Effects of this interface that one immortal may have pending; a request beyond that throws. Default 10,000. Code and not
    /// configuration: a replay must find the same bound.
    /// </summary>
    public int MaxPending { get; set; } = 10_000;
}
