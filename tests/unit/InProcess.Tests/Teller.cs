using Microsoft.Extensions.DependencyInjection;

namespace Ambrosia.InProcess.Tests;

public sealed class Teller : TellerBase
{
    public override async DurableTask<decimal> Pay(string bank, string account, decimal amount) =>
        await Proxy<BankProxy>(bank).DepositAsync(account, amount);

    protected override void BecomingPrimary(ImmortalContext context) =>
        context.Services?.GetRequiredService<TellerWindow>().Open(This.PayImpulse);
}
