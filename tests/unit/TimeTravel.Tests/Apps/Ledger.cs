using Ambrosia.Primitives;
using Ambrosia.TimeTravel.Tests.Support;
using Microsoft.Extensions.DependencyInjection;

namespace Ambrosia.TimeTravel.Tests.Apps;

public sealed class Ledger : LedgerBase
{
    private readonly DurableDictionary<string, long> _accounts = [];
    private readonly List<string> _notes = [];
    private long _handled;
    private Guid _last;
    private DateTimeOffset _when;

    public long Handled => _handled;

    public IReadOnlyList<string> Notes => _notes;

    public long Of(string account) => _accounts.TryGetValue(account, out long balance) ? balance : 0;

    public override DurableTask<long> Deposit(string account, long amount)
    {
        Touch();
        long now = Of(account) + amount;
        _accounts[account] = now;
        if (_handled % 3 == 0)
        {
            Proxy<LedgerProxy>("audit").NoteFork($"{account} {now}");
        }

        return now;
    }

    public override DurableTask Note(string text)
    {
        Touch();
        _notes.Add(text);
        if (_notes.Count > 20)
        {
            _notes.RemoveAt(0);
        }

        return default;
    }

    public override async DurableTask<long> Transfer(string from, string to, long amount)
    {
        Touch();
        await This.DepositAsync(from, -amount);
        await Delay(TimeSpan.FromMilliseconds(1));
        return await This.DepositAsync(to, amount);
    }

    public override DurableTask Pay(string account, long amount)
    {
        Touch();
        _accounts[account] = Of(account) - amount;
        This.NoteFork($"paid {amount}");
        switch (amount % 5)
        {
            case 0:
                Proxy<LedgerProxy>("audit").DepositFork(account, amount);
                break;
            case 1:
                This.TransferFork(account, "savings", 1);
                break;
            case 2:
                This.DepositFork(account, 2 * amount);
                break;
        }

        return default;
    }

    public override DurableTask<long> Refuse(string reason)
    {
        Touch();
        throw new InvalidOperationException(reason);
    }

    protected override void BecomingPrimary(ImmortalContext context) =>
        context.Services?.GetService<Door>()?.Open(context.InstanceName, This);

    private void Touch()
    {
        _handled++;
        _last = NewGuid();
        _when = LogTime;
        _ = _last;
        _ = _when;
    }
}
