using Ambrosia;

namespace Bank;

/// <summary>Hears of every movement of money and adds it up, independently of the shards.</summary>
public sealed class Auditor : AuditorBase
{
    private readonly DurableDictionary<string, decimal> _movements = [];
    private readonly DurableDictionary<string, Arrivals> _arrivals = [];

    public override DurableTask Record(string shard, long number, string account, decimal amount)
    {
        if (!_arrivals.TryGetValue(shard, out Arrivals? arrivals))
        {
            _arrivals.Add(shard, arrivals = new Arrivals());
        }

        arrivals.Take(number);
        _movements[account] = _movements.GetValueOrDefault(account) + amount;
        return default;
    }

    public override DurableTask<AuditorReport> Report() => new AuditorReport(
        [.. _movements.Select(static entry => new AccountReport(entry.Key, entry.Value, UnderWay: 0))],
        [.. _arrivals.Select(static entry => entry.Value.Report(entry.Key))]);

    protected override void BecomingPrimary(ImmortalContext context) =>
        Desk.Open(context, ("report", () => Desk.Json(This.ReportImpulse())));
}
