using Ambrosia.Testing;

namespace Ambrosia.InProcess.Tests.Library;

/// <summary>Types of MessagePack-CSharp as arguments, results and state of running immortals.</summary>
public sealed class LibraryTypesTests
{
    private static readonly Guid s_coupon = Guid.Parse("0f8fad5b-d9cb-469f-a165-70867728950e");

    [Theory]
    [InlineData(Killed.Process)]
    [InlineData(Killed.App)]
    [InlineData(Killed.Coordinator)]
    [InlineData(Killed.Host)]
    public async Task Marked_types_survive_every_kind_of_death_in_messages_state_and_suspended_calls(Killed what)
    {
        int steps = 0;
        bool more = true;
        for (int step = 0; more; step += Extent.Of(everyday: 19, full: 7, soak: 1))
        {
            await using var world = ImmortalTestHost.Start<OrderDesk>("desk", new ImmortalTestOptions { Seed = step + 1 })
                .Add<OrderDesk>("other");
            await world.IdleAsync();
            TestCall<Order?> repeat = world.Call("desk", (OrderDeskProxy d) => d.RepeatAsync("other", Sample()));
            more = await world.StepAsync(step) == step;
            await world.KillAsync(step % 2 == 0 ? "other" : "desk", what);
            AssertSample(await repeat);
            await world.IdleAsync();
            await world.KillAsync("other", what);
            await world.IdleAsync();
            Assert.Equal(2, world.State<OrderDesk>("other").Orders.Count);
            Assert.All(world.State<OrderDesk>("other").Orders, AssertSample);
            steps++;
        }

        Assert.True(steps > 5, $"only {steps} steps");
    }

    [Fact]
    public async Task An_interface_names_its_resolver()
    {
        await using var world = ImmortalTestHost.Start<Weather>("weather");
        Temperature warmest =
            await world.Call("weather", (WeatherProxy w) => w.WarmestAsync([Temperature.FromTenths(5), Temperature.FromTenths(215)]));
        Assert.Equal(215, warmest.ToTenths());
    }

    [Fact]
    public async Task An_app_names_its_resolver_in_its_options()
    {
        var options = new ImmortalTestOptions { Resolver = TemperatureResolver.Instance };
        await using var world = ImmortalTestHost.Start<Station>("station", options, static o => o.Resolver = TemperatureResolver.Instance);
        List<Temperature> measured = [Temperature.FromTenths(-5), Temperature.FromTenths(215)];
        Assert.Equal(-5, (await world.Call("station", (StationProxy s) => s.ColdestAsync(measured)))!.Value.ToTenths());
        Assert.Null(await world.Call("station", (StationProxy s) => s.ColdestAsync([])));
    }

    [Fact]
    public async Task A_caller_without_the_resolver_is_told_so()
    {
        await using var world =
            ImmortalTestHost.Start<Station>("station", configure: static o => o.Resolver = TemperatureResolver.Instance);
        Exception error = await Assert.ThrowsAnyAsync<Exception>(
            () => world.Call("station", (StationProxy s) => s.ColdestAsync([Temperature.FromTenths(1)])).AsTask());
        Assert.Contains("IC-1101", error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_receiver_without_the_resolver_refuses_the_call_and_names_the_argument()
    {
        var options = new ImmortalTestOptions { Resolver = TemperatureResolver.Instance };
        await using var world = ImmortalTestHost.Start<Station>("station", options);
        Exception error = await Assert.ThrowsAnyAsync<Exception>(
            () => world.Call("station", (StationProxy s) => s.ColdestAsync([Temperature.FromTenths(1)])).AsTask());
        Assert.Contains("Coldest.measured: ", error.ToString(), StringComparison.Ordinal);
        Assert.Contains("(IC-1101) (byte 2).", error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_resolver_that_throws_fails_the_call_and_nothing_else()
    {
        await using var world = ImmortalTestHost.Start<Weather>("weather");
        Exception error = await Assert.ThrowsAnyAsync<Exception>(
            () => world.Call("weather", (WeatherProxy w) => w.SoundAsync(new Tone())).AsTask());
        Assert.Contains("InvalidOperationException, tones are out of stock (IC-1102)", error.ToString(), StringComparison.Ordinal);
        Assert.Equal(1, (await world.Call("weather", (WeatherProxy w) => w.WarmestAsync([Temperature.FromTenths(1)]))).ToTenths());
    }

    [Theory]
    [InlineData(EffectFault.KillProcess)]
    [InlineData(EffectFault.LoseOutcome)]
    public async Task Effects_take_and_give_them_once_more_after_each_loss(EffectFault fault)
    {
        var thermostat = new Thermostat();
        await using var world = ImmortalTestHost.Start<Weather>("weather", configure: o => o.UseEffects<IThermostat>(_ => thermostat));
        world.Fail("weather", fault);
        AssertSample(await world.Call("weather", (WeatherProxy w) => w.HeatAsync(Temperature.FromTenths(205), Sample())));
        Assert.All(thermostat.Turned, static turned => Assert.Equal(205, turned));
    }

    private static Order Sample() => new()
    {
        Customer = "anna", Items = { ["tea"] = 2, ["milk"] = 1 }, Notes = { [7] = "cold" }, Coupons = { s_coupon },
    };

    private static void AssertSample(Order? order)
    {
        Assert.NotNull(order);
        Assert.Equal("anna", order.Customer);
        Assert.Equal([("tea", 2), ("milk", 1)], order.Items.Select(static item => (item.Key, item.Value)));
        Assert.Equal("cold", order.Notes[7]);
        Assert.Contains(s_coupon, order.Coupons);
    }
}
