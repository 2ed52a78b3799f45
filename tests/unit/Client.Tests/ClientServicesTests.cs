using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Microsoft.Extensions.DependencyInjection;

namespace Ambrosia.Client.Tests;

/// <summary>A client among the services of an application.</summary>
public sealed class ClientServicesTests
{
    [Fact]
    public async Task What_several_parts_of_an_application_say_is_added_up()
    {
        await using IngressUnderTest ingress = await IngressUnderTest.StartAsync();
        ingress.Told.Tell(ShopShapes.Text);
        await using ServiceProvider services = new ServiceCollection()
            .AddSingleton(ingress)
            .AddAmbrosiaClient(static options => options.Deadline = TimeSpan.FromMinutes(2))
            .AddAmbrosiaClient(static (provider, options) =>
                options.Addresses.Add(provider.GetRequiredService<IngressUnderTest>().Address.ToString()))
            .AddImmortalClient<ShopClient>("shop")
            .BuildServiceProvider();
        await services.GetRequiredService<ShopClient>().CloseAsync().WaitAsync(Patience.Time);
        Assert.Single(ingress.Entrance.Admitted);
        Assert.Same(services.GetRequiredService<AmbrosiaClient>(), services.GetRequiredService<AmbrosiaClient>());
    }
}
