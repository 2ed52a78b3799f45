namespace Ambrosia.InProcess.Tests.Library;

public sealed class OrderDesk : OrderDeskBase
{
    private readonly List<Order> _orders = [];

    public IReadOnlyList<Order> Orders => _orders;

    public override DurableTask<Receipt> Take(Order order)
    {
        _orders.Add(order);
        TakeCheckpoint();
        return new Receipt(_orders.Count, order);
    }

    public override async DurableTask<Order?> Repeat(string other, Order order)
    {
        Receipt first = await Proxy<OrderDeskProxy>(other).TakeAsync(order);
        await Delay(TimeSpan.FromSeconds(5));
        Receipt second = await Proxy<OrderDeskProxy>(other).TakeAsync(first.Order);
        return second.Number > first.Number ? second.Order : null;
    }

    public override DurableTask<Order?> Last() => _orders.LastOrDefault();
}
