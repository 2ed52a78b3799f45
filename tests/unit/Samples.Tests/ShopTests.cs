using Ambrosia.Testing;
using Shop.Effects;
using Shop.Immortals;

namespace Ambrosia.Samples.Tests;

/// <summary>The immortals of samples/Shop in virtual time, killed between any two steps.</summary>
public sealed class ShopTests
{
    private readonly FakePayments _payments = new();
    private readonly FakeMail _mail = new();

    [Theory]
    [InlineData("tea", "pay", OrderState.Shipped, "")]
    [InlineData("tea", "decline", OrderState.Cancelled, "bad card")]
    [InlineData("tea", "wait", OrderState.Cancelled, "it was not paid in time")]
    [InlineData("piano", "pay", OrderState.Cancelled, "nobody carries a piano")]
    public async Task An_order_ends_once_whatever_is_killed_at_whichever_step(string item, string then, OrderState state, string note)
    {
        bool more = true;
        for (int step = 0; more; step += 11)
        {
            _payments.Urls.Clear();
            _payments.Refunds.Clear();
            _mail.Subjects.Clear();
            await using ImmortalTestHost world = Start(step);
            Assert.Equal(1, await world.Call("orders", (OrdersProxy orders) => orders.PlaceAsync("ann", item)));
            more = await world.StepAsync(step) == step;
            await world.KillAsync(step % 2 == 0 ? "orders" : "warehouse", Killed.Host);
            await SettleAsync(world, then);
            await world.KillAsync("orders");
            await world.IdleAsync();

            Order order = Assert.Single(await world.Call("orders", (OrdersProxy orders) => orders.AllAsync()));
            Assert.Equal((state, note), (order.State, order.Note));
            bool isShipped = state == OrderState.Shipped;
            Assert.Equal([isShipped ? "Order 1 is on its way" : "Order 1 is cancelled"], _mail.Subjects.Values);
            Assert.Equal(item == "piano" ? 1 : 0, _payments.Refunds.Distinct().Count());
            Good good = Goods.Find(item)!;
            Shelf[] shelves = await world.Call("warehouse", (WarehouseProxy warehouse) => warehouse.ShelvesAsync());
            Assert.Contains(new Shelf(item, good.Count - (isShipped ? 1 : 0), 0, isShipped ? 1 : 0), shelves);
        }
    }

    [Fact]
    public async Task What_is_sold_out_is_cancelled_without_a_bill()
    {
        await using ImmortalTestHost world = Start(0);
        for (int i = 1; i <= 3; i++)
        {
            await world.Call("orders", (OrdersProxy orders) => orders.PlaceAsync("ann", "piano"));
        }

        await world.IdleAsync();
        Order[] all = await world.Call("orders", (OrdersProxy orders) => orders.AllAsync());
        Assert.Equal([OrderState.AwaitsPayment, OrderState.AwaitsPayment, OrderState.Cancelled], all.Select(static order => order.State));
        Assert.Equal([1, 2], _payments.Urls.Keys.Order());
        Assert.Equal("no piano is left", all[2].Note);
    }

    [Fact]
    public async Task Each_order_is_in_the_report_of_one_day()
    {
        await using ImmortalTestHost world = Start(0);
        await world.Call("orders", (OrdersProxy orders) => orders.OpenAsync(TimeSpan.FromHours(1), "0 3 * * *"));
        await BuyAsync(world, 1);
        await world.AdvanceAsync(TimeSpan.FromDays(1));
        await world.KillAsync("orders");
        await BuyAsync(world, 2);
        await BuyAsync(world, 3);
        await world.AdvanceAsync(TimeSpan.FromDays(1));

        Report[] days = await world.Call("orders", (OrdersProxy orders) => orders.ReportsAsync());
        Assert.Equal([(1, 4.50m), (2, 9m), (0, 0m)], days.Select(static day => (day.Shipped, day.Takings)));
        Assert.Equal(2, _mail.Subjects.Values.Count(static subject => subject.StartsWith("Report of", StringComparison.Ordinal)));
    }

    private ImmortalTestHost Start(int seed) => ImmortalTestHost.Start<Orders>("orders", new ImmortalTestOptions { Seed = seed },
        options => options.UseEffects<IPayments>(_ => _payments).UseEffects<IMail>(_ => _mail)).Add<Warehouse>("warehouse");

    private async Task BuyAsync(ImmortalTestHost world, int number)
    {
        await world.Call("orders", (OrdersProxy orders) => orders.PlaceAsync("ann", "tea"));
        await world.IdleAsync();
        await world.Complete(_payments.Urls[number], new Payment(4.50m));
        await world.IdleAsync();
    }

    private async Task SettleAsync(ImmortalTestHost world, string then)
    {
        await world.IdleAsync();
        switch (then)
        {
            case "pay":
                Assert.True(await world.Complete(_payments.Urls[1], new Payment(1)));
                break;
            case "decline":
                Assert.True(await world.Reject(_payments.Urls[1], "bad card"));
                break;
            default:
                await world.AdvanceAsync(TimeSpan.FromHours(1));
                Assert.False(await world.Complete(_payments.Urls[1], new Payment(1)));
                break;
        }
    }
}
