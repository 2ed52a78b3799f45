using Ambrosia;

namespace Orders;

/// <summary>Ten of each thing.</summary>
[ImmortalInterface]
public interface IWarehouse
{
    /// <summary>Takes one from the shelf.</summary>
    void Reserve(int order, string item);

    /// <summary>Puts it back; that takes a while.</summary>
    void Release(int order, string item);

    /// <summary>What lies on the shelves.</summary>
    [Impulse]
    string Report();
}
