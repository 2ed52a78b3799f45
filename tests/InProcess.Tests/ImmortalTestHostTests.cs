using Ambrosia.Testing;

namespace Ambrosia.InProcess.Tests;

public sealed class ImmortalTestHostTests
{
    [Fact]
    public async Task A_test_calls_an_immortal_and_looks_at_its_state()
    {
        await using var world = ImmortalTestHost.Start<Bank>("bank").Add<Auditor>("auditor");
        Assert.Equal(5, await world.Call<BankProxy, decimal>("bank", b => b.DepositAsync("a", 5)));
        Assert.Equal(7, await world.Call("bank", (BankProxy b) => b.DepositAsync("a", 2)));
        await world.IdleAsync();
        Assert.Equal(["a +5 5", "a +2 7"], world.State<Auditor>("auditor").Seen);
    }

    [Theory]
    [InlineData(Killed.Process)]
    [InlineData(Killed.App)]
    [InlineData(Killed.Coordinator)]
    [InlineData(Killed.Host)]
    public async Task What_was_answered_survives_every_kind_of_death(Killed what)
    {
        await using var world = ImmortalTestHost.Start<Bank>("bank").Add<Auditor>("auditor");
        await world.Call("bank", (BankProxy b) => b.DepositAsync("a", 5));
        await world.KillAsync("bank", what);
        Assert.Equal(6, await world.Call("bank", (BankProxy b) => b.DepositAsync("a", 1)));
        await world.IdleAsync();
        Assert.Equal(["a +5 5", "a +1 6"], world.State<Auditor>("auditor").Seen);
    }
}
