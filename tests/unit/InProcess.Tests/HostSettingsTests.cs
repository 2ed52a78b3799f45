using System.Collections.Concurrent;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ambrosia.InProcess.Tests;

/// <summary>What a real host does with settings that are almost options.</summary>
public sealed class HostSettingsTests
{
    [Theory]
    [InlineData("Ambrosia:Sotre", "There is no option Ambrosia:Sotre. Did you mean Ambrosia:Store?")]
    [InlineData("Ambrosia:bank:connecttimeouts",
        "There is no option Ambrosia:bank:connecttimeouts. Did you mean Ambrosia:bank:ConnectTimeout?")]
    [InlineData("Ambrosia:ConnectTimeout", "'1,5' is not a value for Ambrosia:ConnectTimeout: seconds is expected.")]
    public async Task A_setting_that_is_almost_an_option_stops_the_host_before_anything_is_started(string key, string expected)
    {
        int before = Environment.ExitCode;
        try
        {
            string line = Assert.Single(await RunAsync(new() { [key] = "1,5" }));

            Assert.StartsWith($"bank cannot go on: {expected}", line, StringComparison.Ordinal);
            Assert.Equal((int)AppExitCode.Usage, Environment.ExitCode);
        }
        finally
        {
            Environment.ExitCode = before; // This process is a test's.
        }
    }

    [Fact]
    public async Task Settings_that_resemble_no_option_and_sections_of_others_are_left_to_the_app()
    {
        Assert.Empty(await RunAsync(new()
            { ["Ambrosia:Theme"] = "dark", ["Ambrosia:teller:Sotre"] = "file:/x", ["ambrosia:bank:STORE"] = "memory:" }, stops: true));
    }

    // Its lines of level critical.
    private static async Task<string[]> RunAsync(Dictionary<string, string?> settings, bool stops = false)
    {
        var lines = new CriticalLines();
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Configuration.AddInMemoryCollection(settings);
        builder.Logging.AddProvider(lines);
        builder.Services.AddInProcessCoordinator(static o => (o.Store, o.Catalog, o.Peers) = ("memory:", "memory:", PeerLinks.Memory));
        builder.Services.AddImmortal<Bank>("bank");
        using IHost host = builder.Build();
        await host.StartAsync();
        if (stops)
        {
            await host.StopAsync();
        }
        else
        {
            await host.WaitForShutdownAsync().WaitAsync(TimeSpan.FromSeconds(30));
        }

        return [.. lines.Written];
    }

    private sealed class CriticalLines : ILoggerProvider, ILogger
    {
        public ConcurrentQueue<string> Written { get; } = new();

        public ILogger CreateLogger(string categoryName) => this;

        public void Dispose()
        {
        }

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel == LogLevel.Critical;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
            Func<TState, Exception?, string> formatter)
        {
            if (IsEnabled(logLevel))
            {
                Written.Enqueue(formatter(state, exception));
            }
        }
    }
}
