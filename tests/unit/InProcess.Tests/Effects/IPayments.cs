namespace Ambrosia.InProcess.Tests.Effects;

[EffectInterface(MaxPending = 8)]
public interface IPayments
{
    [Throws(typeof(CardRefusedException))]
    Task<string> Charge(string card, decimal amount, EffectContext effect);

    [Retry(Within = "3.00:00:00")]
    Task Mail(string to, string text, EffectContext effect);

    [OneAtATime]
    Task<int> Step(int number, EffectContext effect);

    string Large(int size, EffectContext effect);
}
