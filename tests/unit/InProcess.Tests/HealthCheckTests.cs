using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ambrosia.InProcess.Tests;

/// <summary>Health checks of a real host with several immortals.</summary>
public sealed class HealthCheckTests
{
    private static readonly TimeSpan s_patience = Patience.Time;

    [Fact]
    public async Task Each_immortal_of_a_host_has_its_own_health_from_start_to_end()
    {
        using IHost host = Build(static services =>
        {
            services.AddInProcessCoordinator(static o => (o.Store, o.Catalog, o.Peers) = ("memory:", "memory:", PeerLinks.Memory));
            services.AddImmortal<Bank>("bank").AddImmortal<Teller>("teller");
            services.AddHealthChecks().AddImmortal("bank").AddImmortal("teller", "window", tags: ["ready"]);
        });
        HealthReport before = await CheckAsync(host);
        Assert.Equal("bank waits for its coordinator.", before.Entries["bank"].Description);
        Assert.Equal(HealthStatus.Degraded, before.Status);

        await host.StartAsync();
        await UntilAsync(host, static report => report.Status == HealthStatus.Healthy);
        HealthReport serving = await CheckAsync(host);
        Assert.Equal("bank serves.", serving.Entries["bank"].Description);
        Assert.Equal("teller serves.", serving.Entries["window"].Description);
        Assert.Equal(["ready"], serving.Entries["window"].Tags);

        await host.StopAsync();
        HealthReport after = await CheckAsync(host);
        Assert.Equal(HealthStatus.Unhealthy, after.Status);
        Assert.Equal("bank has ended (Stopped): it was asked to stop", after.Entries["bank"].Description);
    }

    [Fact]
    public async Task A_coordinator_that_nobody_started_is_unhealthy_while_the_app_tries_and_after_it_gave_up()
    {
        int before = Environment.ExitCode;
        using IHost host = Build(static services =>
        {
            services.AddImmortal<Bank>("bank", static options =>
            {
                options.BindingSocket = "/nowhere/at/all.sock";
                options.ConnectTimeout = TimeSpan.FromSeconds(4);
            });
            services.AddHealthChecks().AddImmortal("bank");
        });
        try
        {
            await host.StartAsync();
            await UntilAsync(host, static report => report.Status == HealthStatus.Unhealthy);
            Assert.StartsWith("bank has no coordinator and tries again: nobody accepts it at /nowhere/at/all.sock (",
                (await CheckAsync(host)).Entries["bank"].Description, StringComparison.Ordinal);

            await UntilAsync(host, static report => report.Entries["bank"].Data.ContainsKey("code"));
            HealthReportEntry ended = (await CheckAsync(host)).Entries["bank"];
            Assert.Equal("Unavailable", ended.Data["code"]);
            Assert.StartsWith("bank has ended (Unavailable): No coordinator accepted bank at ", ended.Description,
                StringComparison.Ordinal);
            await host.StopAsync();
        }
        finally
        {
            Environment.ExitCode = before; // This process is a test's.
        }
    }

    private static Task<HealthReport> CheckAsync(IHost host) => host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();

    private static async Task UntilAsync(IHost host, Func<HealthReport, bool> condition)
    {
        using var patience = new CancellationTokenSource(s_patience);
        while (!condition(await CheckAsync(host)))
        {
            await Task.Delay(TimeSpan.FromMilliseconds(10), patience.Token);
        }
    }

    private static IHost Build(Action<IServiceCollection> add)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Services.AddLogging(static logging => logging.SetMinimumLevel(LogLevel.None));
        builder.Services.AddSingleton<TellerWindow>();
        add(builder.Services);
        return builder.Build();
    }
}
