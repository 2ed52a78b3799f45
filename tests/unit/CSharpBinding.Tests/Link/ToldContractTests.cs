using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.CSharpBinding.Tests.Link;

/// <summary>The app that acts says what it answers to, to a coordinator that wants to know.</summary>
public sealed class ToldContractTests
{
    [Fact]
    public async Task Each_life_of_an_app_tells_its_contract_once_when_it_acts()
    {
        await using var coordinator = new ScriptedCoordinator(static () => new Counter()) { Features = BindingFeatures.Contracts };
        await coordinator.StartFirstAsync();
        await coordinator.UntilAsync(() => coordinator.Contracts.Count == 1, "the contract");
        string[] lines = coordinator.Contracts[0].Split('\n');
        Assert.Equal("Tests.ICounter 1 int Add(int)", lines[0]);
        Assert.Equal("", lines[^1]);
        await coordinator.KillAsync();
        await coordinator.RecoverAsync(becomePrimary: false);
        Assert.Single(coordinator.Contracts); // What replays is not yet the one that acts.
        await coordinator.BecomePrimaryAsync();
        await coordinator.UntilAsync(() => coordinator.Contracts.Count == 2, "the contract of the next life");
    }

    [Fact]
    public async Task Each_life_of_an_app_tells_its_shapes_once_when_it_acts()
    {
        await using var coordinator = new ScriptedCoordinator(static () => new Counter()) { Features = BindingFeatures.Shapes };
        await coordinator.StartFirstAsync();
        await coordinator.UntilAsync(() => coordinator.Shapes.Count == 1, "the shapes");
        Assert.Equal("{\"interface\":\"Tests.ICounter\"}", coordinator.Shapes[0]);
        Assert.Empty(coordinator.Contracts); // Each is told to whom asked for it.
        await coordinator.KillAsync();
        await coordinator.RecoverAsync(becomePrimary: false);
        Assert.Single(coordinator.Shapes);
        await coordinator.BecomePrimaryAsync();
        await coordinator.UntilAsync(() => coordinator.Shapes.Count == 2, "the shapes of the next life");
    }

    [Fact]
    public async Task A_coordinator_that_did_not_ask_is_told_nothing()
    {
        await using var coordinator = new ScriptedCoordinator(static () => new Counter());
        await coordinator.StartFirstAsync();
        await coordinator.DeliverAsync(Runtime.DispatchTests.Add(RpcKind.Fork, 1));
        Assert.Empty(coordinator.Contracts);
        Assert.Empty(coordinator.Shapes);
        Assert.NotEqual(0ul, coordinator.Hello!.Features & BindingFeatures.Contracts);
    }
}
