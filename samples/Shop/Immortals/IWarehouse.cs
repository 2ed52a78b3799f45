using Ambrosia;

namespace Shop.Immortals;

/// <summary>Knows what lies where.</summary>
[ImmortalInterface]
public interface IWarehouse
{
    /// <summary>Holds a piece for an order. Fails if there is none.</summary>
    void Reserve(int order, string item);

    /// <summary>Puts it back.</summary>
    void Release(int order);

    /// <summary>Sends it off. Fails if nobody can carry it.</summary>
    void Ship(int order);

    /// <summary>What lies on the shelves.</summary>
    [Impulse, Query]
    Shelf[] Shelves();
}
