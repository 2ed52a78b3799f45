using System.IO.Pipelines;
using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Hosting;
using Ambrosia.Telemetry;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CSharpBinding.Tests.Hosting;

public sealed class AddImmortalTests
{
    [Fact]
    public async Task A_hosted_immortal_without_a_coordinator_stops_its_host_with_the_documented_code_and_one_line()
    {
        var provider = new Provider();
        var services = new ServiceCollection();
        services.AddImmortal<Counter>("one", static options =>
        {
            options.BindingSocket = "/nowhere/at/all.sock";
            options.ConnectTimeout = TimeSpan.FromMilliseconds(50);
        });
        services.AddImmortal<Counter>("two");
        provider.Hosted = (HostedImmortals)services.Single(static each =>
            each.ServiceType == typeof(HostedImmortals)).ImplementationInstance!;
        var service = (BackgroundService)services.First(static each =>
            each.ServiceType == typeof(IHostedService)).ImplementationFactory!(provider);
        int before = Environment.ExitCode;
        try
        {
            await service.StartAsync(CancellationToken.None);
            await service.ExecuteTask!;

            Assert.Equal((int)AppExitCode.Unavailable, Environment.ExitCode);
            Assert.Equal(1, provider.Stops);
            (LogLevel level, string line) = Assert.Single(provider.Lines, static line => line.Level >= LogLevel.Warning);
            Assert.Equal(LogLevel.Critical, level);
            Assert.StartsWith("one cannot go on: No coordinator accepted one at /nowhere/at/all.sock", line, StringComparison.Ordinal);
        }
        finally
        {
            Environment.ExitCode = before; // This process is a test's.
        }
    }

    [Theory]
    [InlineData(null, null, "shop")]
    [InlineData("/s", "shop", "shop")]
    [InlineData("/s", "bank", null)]
    [InlineData(null, "bank", "shop")]
    public void The_immortal_that_a_tool_names_starts_and_no_other(string? socket, string? name, string? expected) =>
        Assert.Equal(expected, Several().NameHere("shop", variable => variable == "AMBROSIA_SOCKET" ? socket : name));

    [Theory]
    [InlineData(null)]
    [InlineData("other")]
    public void A_socket_for_nobody_in_particular_is_refused_by_a_host_of_several(string? name)
    {
        OptionException error =
            Assert.Throws<OptionException>(() => Several().NameHere("shop", variable => variable == "AMBROSIA_SOCKET" ? "/s" : name));

        Assert.Contains("several immortals (shop, bank)", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_only_immortal_of_a_host_takes_the_name_that_a_tool_gives_it()
    {
        var hosted = new HostedImmortals();
        hosted.Add("shop");

        Assert.Equal("copy", hosted.NameHere("shop", static variable => variable == "AMBROSIA_SOCKET" ? "/s" : "copy"));
        Assert.Equal("shop", hosted.NameHere("shop", static _ => null));
    }

    [Fact]
    public void A_name_that_the_host_has_given_already_is_refused_where_it_is_added()
    {
        var services = new ServiceCollection();
        services.AddImmortal<Counter>("shop");

        InvalidOperationException error = Assert.Throws<InvalidOperationException>(() => services.AddImmortal<Counter>("shop"));

        Assert.StartsWith("This host adds 'shop' already: give each immortal a name of its own", error.Message, StringComparison.Ordinal);
        Assert.Single(services, static each => each.ServiceType == typeof(IHostedService));
    }

    [Fact]
    public async Task A_cancellation_that_nobody_asked_for_is_a_failure_of_the_app()
    {
        var provider = new Provider();
        var monitor = new ServingMonitor();
        using var service = new ImmortalService(
            "one", static () => new Counter(), static () => throw new TaskCanceledException("a service took too long"), provider, monitor);
        int before = Environment.ExitCode;
        try
        {
            await Assert.ThrowsAsync<TaskCanceledException>(async () =>
            {
                await service.StartAsync(CancellationToken.None); // .NET 8 throws here.
                await service.ExecuteTask!;
            });

            Assert.Equal((int)AppExitCode.Failed, Environment.ExitCode);
            Assert.Equal((ServingPhase.Ended, nameof(AppExitCode.Failed)), (monitor.Now.Phase, monitor.Now.Code));
        }
        finally
        {
            Environment.ExitCode = before; // This process is a test's.
        }
    }

    [Fact] // As a web server does that waits for a request.
    public async Task An_immortal_gets_time_to_end_when_others_have_used_up_the_hosts()
    {
        var launcher = new SlowLauncher();
        using var service = new ImmortalService(
            "one", static () => new Counter(), static () =>
                new ImmortalOptions { InstanceName = "one" }, new Provider { Launcher = launcher },
            new ServingMonitor());
        await service.StartAsync(CancellationToken.None);
        await launcher.Begun.WaitAsync(TimeSpan.FromSeconds(60));
        Task stopping = service.StopAsync(new CancellationToken(canceled: true));
        Assert.NotSame(stopping, await Task.WhenAny(stopping, Task.Delay(200)));
        launcher.End();
        await stopping.WaitAsync(TimeSpan.FromSeconds(60));
        Assert.True(service.ExecuteTask!.IsCompletedSuccessfully);
    }

    private static HostedImmortals Several()
    {
        var hosted = new HostedImmortals();
        hosted.Add("shop");
        hosted.Add("bank");
        return hosted;
    }

    private sealed class SlowLauncher : ICoordinatorLauncher
    {
        private readonly TaskCompletionSource _begun = new(), _end = new();

        public Task Begun => _begun.Task;

        public Task RunAsync(ImmortalOptions options, Func<IDuplexPipe, CancellationToken, Task> serve, CancellationToken stop)
        {
            _begun.SetResult();
            return _end.Task;
        }

        public void End() => _end.SetResult();
    }

    private sealed class Provider : IServiceProvider, IHostApplicationLifetime, ILoggerFactory, ILogger
    {
        public HostedImmortals Hosted { get; set; } = new();

        public ICoordinatorLauncher? Launcher { get; init; }

        public int Stops { get; private set; }

        public List<(LogLevel Level, string Line)> Lines { get; } = [];

        public CancellationToken ApplicationStarted => new(canceled: true);

        public CancellationToken ApplicationStopping => CancellationToken.None;

        public CancellationToken ApplicationStopped => CancellationToken.None;

        public object? GetService(Type serviceType) =>
            serviceType == typeof(HostedImmortals) ? Hosted
            : serviceType == typeof(ICoordinatorLauncher) ? Launcher
            : serviceType == typeof(ILoggerFactory) || serviceType == typeof(IHostApplicationLifetime) ? this : null;

        public void StopApplication() => Stops++;

        public ILogger CreateLogger(string categoryName) => this;

        public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException();

        public void Dispose()
        {
        }

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
            Func<TState, Exception?, string> formatter) =>
            Lines.Add((logLevel, formatter(state, exception)));
    }
}
