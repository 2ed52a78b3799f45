using Ambrosia;

namespace NamespaceOfName;

/// <summary>Begins with ten of everything.</summary>
public sealed class Stock : StockBase
{
    private readonly Dictionary<string, int> _taken = [];

    public override DurableTask<int> Take(string item, int quantity)
    {
        int left = 10 - _taken.GetValueOrDefault(item) - quantity;
        if (quantity < 0 || left < 0)
        {
            return -1;
        }

        _taken[item] = 10 - left;
        return left;
    }
}
