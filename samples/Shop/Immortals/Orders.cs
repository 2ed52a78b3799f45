using Ambrosia;
using Microsoft.Extensions.Logging;
using Shop.Effects;

namespace Shop.Immortals;

/// <summary>An order is a saga. It waits for its money for as long as it takes, in whichever process, and ends once.</summary>
public sealed class Orders : OrdersBase
{
    private readonly DurableDictionary<int, Order> _orders = [];
    private readonly DurableList<Report> _days = [];
    private Report _today = new();
    private TimeSpan _paymentTime = TimeSpan.FromMinutes(15);

    private WarehouseProxy Warehouse => Proxy<WarehouseProxy>("warehouse");

    public override DurableTask Open(TimeSpan paymentTime, string reportAt)
    {
        _paymentTime = paymentTime;
        // Declared at each start: the same times keep their place. A night that nobody was there is made up for once.
        This.Every("close the day", reportAt, "UTC", Missed.Once).CloseDayFork();
        Log.LogInformation("open: {Seconds} s to pay, and the day is closed at {Report}", paymentTime.TotalSeconds, reportAt);
        return DurableTask.CompletedTask;
    }

    public override DurableTask<int> Place(string customer, string item)
    {
        int number = _orders.Count + 1;
        _orders[number] = new Order(number, customer, item, Goods.Find(item)?.Price ?? 0, OrderState.Placed);
        This.FulfilFork(number); // In a turn of its own: the customer has the number now.
        return number;
    }

    public override async DurableTask Fulfil(int number)
    {
        (string customer, string item, decimal price) = (_orders[number].Customer, _orders[number].Item, _orders[number].Price);
        var saga = new DurableSaga($"order {number}");
        try
        {
            await Warehouse.ReserveAsync(number, item);
            saga.Undo(Warehouse, "put back").ReleaseFork(number);

            await PayAsync(number, price);
            saga.Undo(Effects<PaymentsEffects>(), "refund").RefundFork(number, price);

            await Warehouse.ShipAsync(number);
            Become(number, OrderState.Shipped);
            _today = _today with { Shipped = _today.Shipped + 1, Takings = _today.Takings + price };
            Effects<MailEffects>().SendFork(customer, $"Order {number} is on its way", $"Your {item} has left our warehouse.");
        }
        catch (Exception failure) when (failure is InvalidOperationException or AwakeableExpiredException or AwakeableRejectedException)
        {
            string why = failure is AwakeableExpiredException ? "it was not paid in time" : failure.Message;
            Become(number, OrderState.TakenBack, why);
            await saga.Compensate();
            Become(number, OrderState.Cancelled, why);
            _today = _today with { Cancelled = _today.Cancelled + 1 };
            Effects<MailEffects>().SendFork(customer, $"Order {number} is cancelled", $"We are sorry: {why}.");
        }
    }

    public override DurableTask CloseDay()
    {
        Report day = _today with { Due = Occurrence?.Due ?? LogTime };
        (_today, string text) = (new Report(), $"{day.Shipped} shipped, {day.Cancelled} cancelled, takings {day.Takings}");
        _days.Add(day);
        Log.LogInformation("the day is closed: {Report}", text);
        Effects<MailEffects>().SendFork("owner", $"Report of {day.Due:yyyy-MM-dd HH:mm:ss}", text);
        return DurableTask.CompletedTask;
    }

    public override DurableTask<Order[]> All() => _orders.Values.ToArray();

    public override DurableTask<Report[]> Reports() => _days.Append(_today).ToArray();

    // Outside of the log: what it says to the immortal is an impulse.
    protected override void BecomingPrimary(ImmortalContext context) => _ = This.OpenImpulse(Settings.PaymentTime, Settings.ReportAt);

    private async DurableTask PayAsync(int number, decimal price)
    {
        // Its address is the permission to complete it, once. If nobody does in time, the await throws.
        Awakeable<Payment> payment = Awakeable<Payment>(_paymentTime);
        Effects<PaymentsEffects>().AskFork(number, price, payment.Url);
        _orders[number] = _orders[number] with { PayUntil = LogTime + _paymentTime };
        Become(number, OrderState.AwaitsPayment);
        await payment;
        Become(number, OrderState.Paid);
    }

    private void Become(int number, OrderState state, string note = "")
    {
        _orders[number] = _orders[number] with { State = state, Note = note };
        Log.LogInformation("order {Number}: {State}{Note}", number, state, note.Length > 0 ? $", {note}" : "");
    }
}
