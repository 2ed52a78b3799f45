namespace Ambrosia.Client.Tests;

/// <summary>What the tests call.</summary>
[ImmortalInterface]
public interface IShop
{
    [Impulse]
    decimal Order(string item, int count = 1);

    [Impulse]
    void Close();

    [Impulse, Query]
    decimal PriceOf(string item, int count = 1);

    [Impulse]
    [Throws(typeof(SoldOutException))]
    int Count(string cancellationToken, params int[] places);
}
