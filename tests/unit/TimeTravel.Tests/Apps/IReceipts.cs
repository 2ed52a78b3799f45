namespace Ambrosia.TimeTravel.Tests.Apps;

[EffectInterface]
public interface IReceipts
{
    Task<string> Print(string what, int copies, EffectContext effect);

    Task Open(EffectContext effect);
}
