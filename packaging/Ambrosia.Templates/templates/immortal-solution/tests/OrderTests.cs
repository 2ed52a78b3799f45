using Ambrosia.Testing;

namespace NamespaceOfName.Tests;

public sealed class OrderTests
{
    [Fact]
    public async Task An_order_is_placed_once_however_often_it_is_sent()
    {
        await using var world = ImmortalTestHost.Start<Orders>("orders").Add<Stock>("stock");

        Assert.Equal("placed; 7 tea left", await world.Call("orders", (OrdersProxy orders) => orders.PlaceAsync("a", "tea", 3)));
        Assert.Equal("placed; 7 tea left", await world.Call("orders", (OrdersProxy orders) => orders.PlaceAsync("a", "tea", 3)));
        Assert.Equal("there are not 8 tea", await world.Call("orders", (OrdersProxy orders) => orders.PlaceAsync("b", "tea", 8)));
    }

    [Theory]
    [InlineData("orders")]
    [InlineData("stock")]
    public async Task A_power_cut_at_any_step_takes_nothing_twice(string victim)
    {
        for (int steps = 0; steps < 60; steps += 6)
        {
            await using var world = ImmortalTestHost.Start<Orders>("orders").Add<Stock>("stock");
            TestCall<string> order = world.Call("orders", (OrdersProxy orders) => orders.PlaceAsync("a", "tea", 3));

            await world.StepAsync(steps);
            await world.KillAsync(victim, Killed.Host);

            Assert.Equal("placed; 7 tea left", await order);
        }
    }
}
