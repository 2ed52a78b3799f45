namespace Ambrosia.InProcess.Tests.Experiments;

public sealed class House : HouseBase
{
    private readonly DurableDictionary<int, string> _owners = [];
    private readonly DurableDictionary<int, int> _prices = [];
    private readonly DurableSet<int> _underTheHammer = [];

    public IReadOnlyDictionary<int, string> Owners => _owners.ToDictionary(static pair => pair.Key, static pair => pair.Value);

    public int Sales { get; private set; }

    public override async DurableTask<bool> Bid(string bidder, int item, int amount)
    {
        string owner = _owners.TryGetValue(item, out string? before) ? before : "house";
        if (owner == bidder || amount <= _prices.GetValueOrDefault(item) % 50 || !_underTheHammer.Add(item))
        {
            return false;
        }

        // Suspended here: other bids, for this item too, come in between, and so do deaths.
        bool paid = await Proxy<LedgerProxy>("ledger").PayAsync(bidder, owner, amount);
        _underTheHammer.Remove(item);
        if (paid)
        {
            Sales++;
            _owners[item] = bidder;
            _prices[item] = amount;
            Proxy<BidderProxy>(bidder).GainFork(item);
            if (owner != "house")
            {
                Proxy<BidderProxy>(owner).LoseFork(item);
            }
        }

        return paid;
    }
}
