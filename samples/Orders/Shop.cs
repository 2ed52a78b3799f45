using System.Globalization;
using Ambrosia;
using Microsoft.Extensions.Logging;

namespace Orders;

/// <summary>An order is a saga: what has succeeded is taken back, the newest first, if a later step fails. Kill the process in the middle
/// of it.</summary>
public sealed class Shop : ShopBase
{
    private readonly DurableDictionary<int, string> _orders = [];
    private readonly DurableList<DateTimeOffset> _closed = [];

    private WarehouseProxy Warehouse => Proxy<WarehouseProxy>("warehouse");

    public override DurableTask Open()
    {
        // Declared again at each start: the same times keep their place, and what was missed is made up for. A real job says "0 3 * * *".
        This.Every("close the books", "*/2 * * * * *", "Europe/Vienna", Missed.Once).CloseBooksFork();
        return DurableTask.CompletedTask;
    }

    public override async DurableTask<string> Order(string item)
    {
        int order = _orders.Count + 1;
        _orders[order] = $"{item} open";
        var saga = new DurableSaga($"order {order}");
        try
        {
            await Warehouse.ReserveAsync(order, item);
            saga.Undo(Warehouse, "release stock").ReleaseFork(order, item);
            await Effects<PaymentsEffects>().ChargeAsync(order, 5);
            saga.Undo(Effects<PaymentsEffects>(), "refund").RefundFork(order, 5);
            Ship(item);
            _orders[order] = $"{item} shipped";
        }
        catch (InvalidOperationException failure)
        {
            Log.LogInformation("order {Order} is taken back: {Reason}", order, failure.Message);
            await saga.Compensate();
            _orders[order] = $"{item} taken back";
        }

        return _orders[order];
    }

    public override DurableTask CloseBooks()
    {
        DateTimeOffset due = Occurrence?.Due ?? LogTime;
        _closed.Add(due);
        Log.LogInformation("books of {Due} closed", due.ToString("HH:mm:ss", CultureInfo.InvariantCulture));
        return DurableTask.CompletedTask;
    }

    public override DurableTask<string> Report() => string.Create(CultureInfo.InvariantCulture,
        $"{string.Join(", ", _orders.Values)}; books closed {_closed.Count} times, {_closed.Distinct().Count()} of them different");

    protected override void BecomingPrimary(ImmortalContext context) => _ = Desk.ServeAsync(context, async line =>
    {
        if (line == Desk.Open)
        {
            await This.OpenImpulse();
            return Desk.Ready;
        }

        return line == Desk.Report ? await This.ReportImpulse() : await This.OrderImpulse(line);
    });

    private static void Ship(string item)
    {
        if (item == "piano")
        {
            throw new InvalidOperationException("nobody carries a piano");
        }
    }
}
