namespace Ambrosia.InProcess.Tests.Sagas;

[EffectInterface]
public interface ITill
{
    Task<string> Charge(decimal amount, EffectContext effect);

    Task<string> Refund(decimal amount, EffectContext effect);
}
