using Ambrosia;
using Microsoft.Extensions.Logging;

namespace Shop.Immortals;

/// <summary>Every field is state: pieces survive whatever is killed, and are counted once.</summary>
public sealed class Warehouse : WarehouseBase
{
    private readonly DurableDictionary<string, Shelf> _shelves = [];
    private readonly DurableDictionary<int, string> _reserved = []; // By the number of the order.

    protected override DurableTask OnFirstStart()
    {
        foreach (Good good in Goods.All)
        {
            _shelves[good.Item] = new Shelf(good.Item, good.Count);
        }

        return DurableTask.CompletedTask;
    }

    public override DurableTask Reserve(int order, string item)
    {
        if (!_shelves.TryGetValue(item, out Shelf? shelf) || shelf.Free == 0)
        {
            throw new InvalidOperationException($"no {item} is left"); // Travels to who awaits, and is thrown there.
        }

        _shelves[item] = shelf with { Free = shelf.Free - 1, Reserved = shelf.Reserved + 1 };
        _reserved[order] = item;
        return DurableTask.CompletedTask;
    }

    public override DurableTask Release(int order)
    {
        Shelf shelf = Take(order);
        _shelves[shelf.Item] = shelf with { Free = shelf.Free + 1 };
        Log.LogInformation("order {Order}: a {Item} is put back", order, shelf.Item);
        return DurableTask.CompletedTask;
    }

    public override DurableTask Ship(int order)
    {
        if (_reserved[order] == "piano")
        {
            throw new InvalidOperationException("nobody carries a piano");
        }

        Shelf shelf = Take(order);
        _shelves[shelf.Item] = shelf with { Shipped = shelf.Shipped + 1 };
        return DurableTask.CompletedTask;
    }

    public override DurableTask<Shelf[]> Shelves() => _shelves.Values.ToArray();

    private Shelf Take(int order)
    {
        _reserved.Remove(order, out string? item);
        Shelf shelf = _shelves[item!];
        return shelf with { Reserved = shelf.Reserved - 1 };
    }
}
