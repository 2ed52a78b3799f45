using Ambrosia;

namespace NamespaceOfName;

/// <summary>Remembers each order by its id. The call to the stock survives the death of either side: kill -9 both while it waits.</summary>
public sealed class Orders : OrdersBase
{
    private readonly DurableDictionary<string, string> _orders = [];

    public override async DurableTask<string> Place(string id, string item, int quantity)
    {
        if (_orders.TryGetValue(id, out string? known))
        {
            return known;
        }

        _orders[id] = "being placed";
        int left = await Proxy<StockProxy>("stock").TakeAsync(item, quantity);
        return _orders[id] = left < 0 ? $"there are not {quantity} {item}" : $"placed; {left} {item} left";
    }
}
