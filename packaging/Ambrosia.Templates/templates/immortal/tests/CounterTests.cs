using Ambrosia.Testing;

namespace NamespaceOfName.Tests;

public sealed class CounterTests
{
    [Fact]
    public async Task A_handler_is_an_ordinary_method() => Assert.Equal(3, await new Counter().Add(3));

    [Fact]
    public async Task The_total_survives_a_power_cut_at_any_step()
    {
        for (int steps = 0; steps < 20; steps++)
        {
            await using var world = ImmortalTestHost.Start<Counter>("counter");
            Assert.Equal(2, await world.Call("counter", (CounterProxy counter) => counter.AddAsync(2)));
            TestCall<int> three = world.Call("counter", (CounterProxy counter) => counter.AddAsync(3));

            await world.StepAsync(steps);
            await world.KillAsync("counter", Killed.Host);

            Assert.Equal(5, await three);
        }
    }
}
