using Ambrosia.CSharpBinding.Tests.Support;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.CSharpBinding.Tests.Hosting;

public sealed class AddImmortalTests
{
    [Fact]
    public async Task A_hosted_immortal_without_a_coordinator_fails_its_service_with_the_reason()
    {
        var services = new ServiceCollection();
        services.AddImmortal<Counter>("one", static options =>
        {
            options.BindingSocket = "/nowhere/at/all.sock";
            options.ConnectTimeout = TimeSpan.FromMilliseconds(50);
        });
        services.AddImmortal<Counter>("two");
        Assert.Equal(2, services.Count);
        var service = (BackgroundService)services[0].ImplementationFactory!(new Provider());

        CoordinatorUnavailableException error = await Assert.ThrowsAsync<CoordinatorUnavailableException>(async () =>
        {
            await service.StartAsync(CancellationToken.None); // Says it, too, when it is over that soon.
            await service.ExecuteTask!;
        });

        Assert.Contains("No coordinator accepted one at /nowhere/at/all.sock", error.Message, StringComparison.Ordinal);
    }

    private sealed class Provider : IServiceProvider, IHostApplicationLifetime
    {
        public CancellationToken ApplicationStarted => CancellationToken.None;

        public CancellationToken ApplicationStopping => CancellationToken.None;

        public CancellationToken ApplicationStopped => CancellationToken.None;

        public object? GetService(Type serviceType) =>
            serviceType == typeof(ILoggerFactory) ? NullLoggerFactory.Instance : serviceType == typeof(IHostApplicationLifetime) ? this : null;

        public void StopApplication() => Assert.Fail("A failed service is the host's to stop.");
    }
}
