namespace Ambrosia.CSharpBinding.Tests.Effects;

public interface IPay
{
    Task<string> Charge(int amount, EffectContext effect);
}
