using Ambrosia.Primitives;

namespace Ambrosia.InProcess.Tests.Experiments;

public sealed class Bidder : BidderBase
{
    private readonly DurableSet<int> _items = [];
    private readonly List<string> _violations = [];

    public IReadOnlyCollection<int> Items => [.. _items];

    public IReadOnlyList<string> Violations => _violations;

    public override async DurableTask<int> BidAway(int bids, int items, int most)
    {
        int won = 0;
        for (int i = 0; i < bids; i++)
        {
            bool mine = await Proxy<HouseProxy>("house").BidAsync(InstanceName, Random.Next(items), Random.Next(1, most + 1));
            won += mine ? 1 : 0;
        }

        return won;
    }

    public override DurableTask Gain(int item)
    {
        Expect(_items.Add(item), $"item {item} came twice");
        return default;
    }

    public override DurableTask Lose(int item)
    {
        Expect(_items.Remove(item), $"item {item} was taken without having been given");
        return default;
    }

    private void Expect(bool holds, string violation)
    {
        if (!holds)
        {
            _violations.Add(violation);
        }
    }
}
