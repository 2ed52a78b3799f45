using Ambrosia;

namespace Upgrade;

/// <summary>The first version: it only counts.</summary>
public sealed class TicketsV1 : TicketsBase
{
    private readonly List<int> _prices = [];

    public IReadOnlyList<int> Prices => _prices;

    public override DurableTask<long> Sell(string kind, int cents) => Book(kind, cents);

    public override async DurableTask<long> Reserve(string kind, int cents)
    {
        await Delay(TimeSpan.FromSeconds(15));
        return Book(kind, cents);
    }

    public override DurableTask<string> Books() => $"{_prices.Count} tickets for {_prices.Sum() / 100m} euros";

    private long Book(string kind, int cents)
    {
        _prices.Add(cents);
        return _prices.Count;
    }
}
