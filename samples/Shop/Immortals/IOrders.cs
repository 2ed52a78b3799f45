using Ambrosia;

namespace Shop.Immortals;

/// <summary>Takes orders, and brings each to an end.</summary>
[ImmortalInterface]
public interface IOrders
{
    /// <summary>Opens the shop; called at each start.</summary>
    /// <param name="paymentTime">How long an order waits to be paid.</param>
    /// <param name="reportAt">When the day is closed, as a cron expression.</param>
    [Impulse]
    void Open(TimeSpan paymentTime, string reportAt);

    /// <summary>Takes an order and gives its number; it goes on by itself.</summary>
    [Impulse]
    int Place(string customer, string item);

    /// <summary>Reserves, waits for the money and ships, or takes all of it back.</summary>
    void Fulfil(int number);

    /// <summary>The nightly job.</summary>
    void CloseDay();

    /// <summary>All orders.</summary>
    [Impulse, Query]
    Order[] All();

    /// <summary>All days, the one that lasts at the end.</summary>
    [Impulse, Query]
    Report[] Reports();
}
