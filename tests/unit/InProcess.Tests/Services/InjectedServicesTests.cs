using Ambrosia.Testing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ambrosia.InProcess.Tests.Services;

/// <summary>Services in the constructor of an immortal: in a host, in the test host, across kills and an upgrade.</summary>
public sealed class InjectedServicesTests
{
    private static readonly TimeSpan s_patience = Patience.Time;

    [Fact]
    public async Task A_host_gives_its_services_to_the_constructor()
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Services.AddLogging(static logging => logging.SetMinimumLevel(LogLevel.None)).AddSingleton<Ledger>()
            .AddInProcessCoordinator(static o => (o.Store, o.Catalog, o.Peers) = ("memory:", "memory:", PeerLinks.Memory))
            .AddImmortal<Clerk>("clerk");
        using IHost host = builder.Build();
        await host.StartAsync();
        ClerkProxy clerk = await host.Services.GetRequiredService<Ledger>().Clerk.WaitAsync(s_patience);
        Assert.Equal(3, await clerk.CountImpulse(3));
        Assert.Equal(5, await clerk.CountImpulse(2));
        await host.StopAsync();
    }

    [Fact]
    public async Task A_service_that_the_host_does_not_have_ends_it_with_one_sentence()
    {
        int before = Environment.ExitCode;
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Services.AddLogging(static logging => logging.SetMinimumLevel(LogLevel.None))
            .AddInProcessCoordinator(static o => (o.Store, o.Catalog, o.Peers) = ("memory:", "memory:", PeerLinks.Memory))
            .AddImmortal<Clerk>("clerk");
        builder.Services.AddHealthChecks().AddImmortal("clerk");
        using IHost host = builder.Build();
        try
        {
            await host.RunAsync().WaitAsync(s_patience);
            Assert.Equal((int)AppExitCode.Usage, Environment.ExitCode);
        }
        finally
        {
            Environment.ExitCode = before; // This process is a test's.
        }
    }

    [Fact]
    public async Task A_world_gives_its_services_to_each_object_and_state_survives_its_death()
    {
        (Ledger ledger, ImmortalTestOptions options) = World();
        await using var world = ImmortalTestHost.Start<Clerk>("clerk", options);
        Assert.Equal(3, await world.Call("clerk", static (ClerkProxy c) => c.CountAsync(3)));
        await world.KillAsync("clerk");
        Assert.Equal(5, await world.Call("clerk", static (ClerkProxy c) => c.CountAsync(2)));
        await world.CheckpointAsync("clerk"); // Nothing of the service is in it.
        await world.KillAsync("clerk");
        Assert.Equal(6, await world.Call("clerk", static (ClerkProxy c) => c.CountAsync(1)));
        Assert.Equal(["Clerk", "Clerk", "Clerk"], ledger.Openings);
    }

    [Fact]
    public async Task An_upgrade_makes_old_and_new_class_with_services()
    {
        (Ledger ledger, ImmortalTestOptions options) = World();
        await using var world = ImmortalTestHost.Start<Clerk>("clerk", options);
        Assert.Equal(3, await world.Call("clerk", static (ClerkProxy c) => c.CountAsync(3)));
        await world.UpgradeAsync<HeadClerk>("clerk", static o => o.UpgradeFrom(
            static (Clerk old, IServiceProvider services) => ActivatorUtilities.CreateInstance<HeadClerk>(services, old)));
        Assert.Equal(50, await world.Call("clerk", static (ClerkProxy c) => c.CountAsync(2)));
        await world.KillAsync("clerk");
        Assert.Equal(60, await world.Call("clerk", static (ClerkProxy c) => c.CountAsync(1)));
        Assert.Equal(["Clerk", "HeadClerk", "HeadClerk"], ledger.Openings);
    }

    private static (Ledger Ledger, ImmortalTestOptions Options) World()
    {
        ServiceProvider services = new ServiceCollection().AddSingleton<Ledger>().BuildServiceProvider();
        return (services.GetRequiredService<Ledger>(), new ImmortalTestOptions { Services = services });
    }
}
