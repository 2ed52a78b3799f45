using Ambrosia.Hosting;
using Ambrosia.Primitives;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.InProcess.Tests;

/// <summary>Real threads, real time; real files and sockets where a test says so.</summary>
public sealed class InProcessCoordinatorTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-inprocess-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData(PeerLinks.Memory)]
    [InlineData(PeerLinks.Tcp)]
    public async Task Two_immortals_of_one_process_call_each_other_and_recover_from_files(PeerLinks peers)
    {
        Assert.Equal(5, await RunBothAsync(5));
        Assert.Equal(7, await RunBothAsync(2));
        Assert.True(Directory.Exists(Path.Combine(_folder, "store", "bank", "log")));

        async Task<decimal> RunBothAsync(decimal amount)
        {
            using IHost host = Build(
                services => services.AddInProcessCoordinator(o => Place(o, peers)).AddImmortal<Bank>("bank").AddImmortal<Teller>("teller"));
            await host.StartAsync();
            decimal balance = await host.Services.GetRequiredService<TellerWindow>().PayAsync("bank", "a", amount);
            await host.StopAsync();
            return balance;
        }
    }

    [Fact]
    public async Task A_store_in_memory_lives_as_long_as_its_launcher()
    {
        var launcher = new InProcessCoordinator(
            new InProcessOptions { Store = "memory:", Catalog = "memory:", Peers = PeerLinks.Memory }, NullLoggerFactory.Instance,
            environment: static _ => null);
        for (int i = 1; i <= 3; i++)
        {
            using var stop = new CancellationTokenSource();
            using ServiceProvider services = new ServiceCollection().AddSingleton<TellerWindow>().BuildServiceProvider();
            Task bank = RunAsync(launcher, static () => new Bank(), "bank", null, stop.Token);
            Task teller = RunAsync(launcher, static () => new Teller(), "teller", services, stop.Token);
            Assert.Equal(i, await services.GetRequiredService<TellerWindow>().PayAsync("bank", "a", 1));
            await stop.CancelAsync();
            await Task.WhenAll(bank, teller);
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task One_side_in_process_and_the_other_with_a_coordinator_process_of_its_own_meet_over_tcp(bool bankInProcess)
    {
        // Each way round: the client's side inside the process, or the server's.
        using IHost bank = Build(services => Add(services, bankInProcess).AddImmortal<Bank>("bank", Embedded));
        using IHost teller = Build(services => Add(services, !bankInProcess).AddImmortal<Teller>("teller", Embedded));
        await Task.WhenAll(bank.StartAsync(), teller.StartAsync());
        Assert.Equal(5, await teller.Services.GetRequiredService<TellerWindow>().PayAsync("bank", "a", 5));
        Assert.Equal(6, await teller.Services.GetRequiredService<TellerWindow>().PayAsync("bank", "a", 1));
        await Task.WhenAll(bank.StopAsync(), teller.StopAsync());

        IServiceCollection Add(IServiceCollection services, bool inProcess) =>
            inProcess ? services.AddInProcessCoordinator(o => Place(o, PeerLinks.Tcp)) : services;
    }

    [Fact]
    public async Task A_message_of_many_megabytes_passes_the_pipes()
    {
        using IHost host = Build(services =>
            services.AddInProcessCoordinator(o => Place(o, PeerLinks.Memory)).AddImmortal<Bank>("bank").AddImmortal<Teller>("teller"));
        await host.StartAsync();
        Assert.Equal(3, await host.Services.GetRequiredService<TellerWindow>().PayAsync("bank", new string('a', 8 << 20), 3));
        await host.StopAsync();
    }

    [Fact]
    public async Task A_wrong_option_is_said_as_a_coordinator_would_say_it()
    {
        var launcher = new InProcessCoordinator(new InProcessOptions
            { Store = "memory:", Catalog = "memory:" }, NullLoggerFactory.Instance, environment: static _ => null);
        var options = new ImmortalOptions { InstanceName = "bank", CoordinatorArguments = "--page-size 3" };
        CoordinatorUnavailableException refused = await Assert.ThrowsAsync<CoordinatorUnavailableException>(
            () => launcher.RunAsync(options, static (_, _) => Task.CompletedTask, CancellationToken.None));
        Assert.Contains("--page-size", refused.Message, StringComparison.Ordinal);
    }

    private static Task RunAsync(InProcessCoordinator launcher, Func<Immortal> create, string name, IServiceProvider? services,
        CancellationToken stop)
    {
        var options = new ImmortalOptions { InstanceName = name };
        var host = new ImmortalHost(create, options, services: services);
        return launcher.RunAsync(options, (link, token) => host.RunAsync(link, token), stop);
    }

    private static IHost Build(Action<IServiceCollection> add)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Services.AddLogging(static logging => logging.SetMinimumLevel(LogLevel.None));
        builder.Services.AddSingleton<TellerWindow>();
        add(builder.Services);
        return builder.Build();
    }

    private void Place(InProcessOptions options, PeerLinks peers)
    {
        options.Store = $"file:{_folder}/store";
        options.Catalog = $"file:{_folder}/catalog";
        options.Peers = peers;
    }

    private void Embedded(ImmortalOptions options)
    {
        options.Store = $"file:{_folder}/store";
        options.Catalog = $"file:{_folder}/catalog";
        options.Coordinator = Path.Combine(AppContext.BaseDirectory, OperatingSystem.IsWindows() ? "Ambrosia.ImmortalCoordinator.exe"
            : "Ambrosia.ImmortalCoordinator");
    }
}
