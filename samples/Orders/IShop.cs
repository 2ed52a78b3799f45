using Ambrosia;

namespace Orders;

/// <summary>Takes orders, and closes its books at times.</summary>
[ImmortalInterface]
public interface IShop
{
    /// <summary>Declares when the books are closed; called at each start.</summary>
    [Impulse]
    void Open();

    /// <summary>Reserves, charges and ships, or takes all of it back.</summary>
    [Impulse]
    string Order(string item);

    /// <summary>What became of the orders, and when the books were closed.</summary>
    [Impulse]
    string Report();

    /// <summary>The nightly job.</summary>
    void CloseBooks();
}
