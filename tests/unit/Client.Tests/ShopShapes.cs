namespace Ambrosia.Client.Tests;

/// <summary>What the generator wrote of IShop.</summary>
internal sealed class ShopShapes : ShopBase
{
    public static string Text => new ShopShapes().Contract.Shapes;

    public override DurableTask<decimal> Order(string item, int count = 1) => 0;

    public override DurableTask<decimal> PriceOf(string item, int count = 1) => 0;

    public override DurableTask Close() => DurableTask.CompletedTask;

    public override DurableTask<int> Count(string cancellationToken, params int[] places) => 0;
}
