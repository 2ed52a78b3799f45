using Ambrosia;

namespace NamespaceOfName;

/// <summary>Takes orders. The generator makes OrdersBase and OrdersProxy of it.</summary>
[ImmortalInterface]
public interface IOrders
{
    /// <summary>Places an order, once, however often the same id is sent.</summary>
    /// <returns>What became of it.</returns>
    string Place(string id, string item, int quantity);
}
