using Ambrosia;
using Ambrosia.Primitives;

namespace Bank;

/// <summary>One half of the bank. Not one line of it deals with failure.</summary>
public sealed class Shard : ShardBase
{
    public const int Accounts = 20;
    public const decimal Opening = 1000m;
    private const string Auditor = "auditor";

    private readonly DurableDictionary<string, Account> _accounts = [];
    private readonly DurableDictionary<string, Arrivals> _arrivals = [];
    private readonly DurableDictionary<string, long> _sent = [];
    private long _transfers;

    public static string AccountName(string shard, int index) => $"{shard}/{index:00}";

    public override async DurableTask<Receipt> Transfer(string client, long number, Order order)
    {
        Take(client, number);
        Account from = _accounts[order.From];
        if (from.Balance < order.Amount)
        {
            return new Receipt(number, Done: false);
        }

        Post(order.From, -order.Amount);
        if (order.ToShard == InstanceName)
        {
            Post(order.To, order.Amount);
        }
        else
        {
            from.UnderWay += order.Amount;
            await Proxy<ShardProxy>(order.ToShard).CreditAsync(InstanceName, Next(order.ToShard), order.To, order.Amount);
            from.UnderWay -= order.Amount; // Perhaps in another process than the line above.
        }

        _transfers++;
        return new Receipt(number, Done: true);
    }

    public override DurableTask Note(string client, long number, string text)
    {
        Take(client, number);
        return default;
    }

    public override DurableTask<bool> Credit(string shard, long number, string account, decimal amount)
    {
        Take(shard, number);
        Post(account, amount);
        return true;
    }

    public override DurableTask<ShardReport> Report() => new ShardReport(
        _transfers,
        [.. _accounts.Select(static entry => new AccountReport(entry.Key, entry.Value.Balance, entry.Value.UnderWay))],
        [.. _arrivals.Select(static entry => entry.Value.Report(entry.Key))],
        [.. _sent.Select(static entry => new SentReport(entry.Key, entry.Value))]);

    protected override DurableTask OnFirstStart()
    {
        for (int i = 0; i < Accounts; i++)
        {
            _accounts.Add(AccountName(InstanceName, i), new Account { Balance = Opening });
        }

        return default;
    }

    protected override void BecomingPrimary(ImmortalContext context) =>
        Desk.Open(context, ("report", () => Desk.Json(This.ReportImpulse())));

    private void Post(string account, decimal amount)
    {
        _accounts[account].Balance += amount;
        Proxy<AuditorProxy>(Auditor).RecordFork(InstanceName, Next(Auditor), account, amount);
    }

    private long Next(string receiver) => _sent[receiver] = _sent.GetValueOrDefault(receiver) + 1;

    private void Take(string sender, long number)
    {
        if (!_arrivals.TryGetValue(sender, out Arrivals? arrivals))
        {
            _arrivals.Add(sender, arrivals = new Arrivals());
        }

        arrivals.Take(number);
    }
}
