using Ambrosia;

namespace NamespaceOfName;

/// <summary>Knows how much of each item there is.</summary>
[ImmortalInterface]
public interface IStock
{
    /// <summary>Takes items out of the stock.</summary>
    /// <returns>How many are left; -1 if there were not enough, and none was taken.</returns>
    int Take(string item, int quantity);
}
