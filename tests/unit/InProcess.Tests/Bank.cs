namespace Ambrosia.InProcess.Tests;

public sealed class Bank : BankBase
{
    private readonly DurableDictionary<string, decimal> _accounts = [];
    private int _reminders;

    public int Reminders => _reminders;

    public override DurableTask<decimal> Deposit(string account, decimal amount)
    {
        decimal now = Of(account) + amount;
        _accounts[account] = now;
        Proxy<AuditorProxy>("auditor").NoteFork($"{account} {amount:+0;-0} {now}");
        return now;
    }

    public override DurableTask<decimal> Balance(string account) => Of(account);

    public override async DurableTask<decimal> Transfer(string from, string bank, string to, decimal amount)
    {
        decimal left = await This.DepositAsync(from, -amount);
        await Proxy<BankProxy>(bank).DepositAsync(to, amount);
        return left;
    }

    public override DurableTask CardSwiped(string account, decimal amount)
    {
        _accounts[account] = Of(account) - amount;
        return default;
    }

    public override async DurableTask<int> Remind(string account, TimeSpan after)
    {
        await Delay(after);
        return ++_reminders;
    }

    public override async DurableTask<int> GiveUp(TimeSpan after)
    {
        try
        {
            await Delay(TimeSpan.MaxValue).WithTimeout(after);
            return 0;
        }
        catch (TimeoutException)
        {
            return ++_reminders;
        }
    }

    public override DurableTask<DateTimeOffset> Clock() => LogTime;

    public override DurableTask<decimal> Refuse(string reason) => throw new InvalidOperationException(reason);

    public override DurableTask PingPong(string with)
    {
        Proxy<BankProxy>(with).PingPongFork(with == "bank" ? "other" : "bank");
        return default;
    }

    private decimal Of(string account) => _accounts.TryGetValue(account, out decimal balance) ? balance : 0;
}
