using Ambrosia;

namespace Upgrade;

/// <summary>The second version: it keeps books by kind. What was sold before has no kind.</summary>
public sealed class TicketsV2 : TicketsBase
{
    private readonly DurableDictionary<string, int> _sold = [];
    private long _cents;

    public TicketsV2()
    {
    }

    /// <summary>The conversion: all that the first version knew.</summary>
    public TicketsV2(TicketsV1 old)
    {
        _sold["before the upgrade"] = old.Prices.Count;
        _cents = old.Prices.Sum(static price => (long)price);
    }

    public override DurableTask<long> Sell(string kind, int cents) => Book(kind, cents);

    // The same body as in the first version: a call that waits in that one goes on in this one.
    public override async DurableTask<long> Reserve(string kind, int cents)
    {
        await Delay(TimeSpan.FromSeconds(15));
        return Book(kind, cents);
    }

    public override DurableTask<string> Books() =>
        $"{_sold.Values.Sum()} tickets for {_cents / 100m} euros: "
        + $"{string.Join(", ", _sold.Select(static pair => $"{pair.Value} {pair.Key}"))}";

    private long Book(string kind, int cents)
    {
        _sold[kind] = _sold.GetValueOrDefault(kind) + 1;
        _cents += cents;
        return _sold.Values.Sum();
    }
}
