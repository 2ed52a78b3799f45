using Ambrosia.Coordinator.Settings;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.Hosting;
using Ambrosia.InProcess;
using Ambrosia.Primitives;
using Ambrosia.TimeTravel.Tests.Apps;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.TimeTravel.Tests.Support;

/// <summary>Two ledgers with real coordinators in this process and real files: <c>ledger</c>, which is looked back at, and <c>audit</c>,
/// which it tells things.</summary>
public sealed class LedgerWorld : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);
    private readonly CancellationTokenSource _stop = new();
    private readonly ServiceProvider _services;
    private readonly List<Task> _running = [];

    private LedgerWorld(string root)
    {
        Root = root;
        _services = new ServiceCollection().AddSingleton<Door>().BuildServiceProvider();
    }

    /// <summary>Folder of the store.</summary>
    public string Root { get; }

    /// <summary>Folder of the log that is looked back at.</summary>
    public string Folder => Path.Combine(Root, "store", "ledger");

    private Door Door => _services.GetRequiredService<Door>();

    public static LedgerWorld Start<T>(string root, Action<CoordinatorOptions>? configure = null)
        where T : Immortal, new()
    {
        var world = new LedgerWorld(root);
        var launcher = new InProcessCoordinator(
            new InProcessOptions
            {
                Store = $"file:{root}/store",
                Catalog = $"file:{root}/catalog",
                Peers = PeerLinks.Memory,
                Configure = options =>
                {
                    options.Retain = new RetainOption(RetainKind.All, 0);
                    configure?.Invoke(options);
                },
            },
            NullLoggerFactory.Instance, environment: static _ => null);
        world._running.Add(world.RunAsync(launcher, static () => new T(), "ledger"));
        world._running.Add(world.RunAsync(launcher, static () => new Ledger(), "audit"));
        return world;
    }

    /// <summary>Pays this many times, with some in the air at once, so that records hold several messages.</summary>
    public async Task PayAsync(int times, int atOnce = 50)
    {
        LedgerProxy self = await Door.ToAsync("ledger");
        for (int i = 0; i < times; i += atOnce)
        {
            await Task.WhenAll(Enumerable.Range(i, Math.Min(atOnce, times - i)).Select(n => self.PayImpulse($"account {n % 17}", n)))
                .WaitAsync(s_patience);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await Task.WhenAll(_running).WaitAsync(s_patience);
        await _services.DisposeAsync();
        _stop.Dispose();
    }

    private async Task RunAsync(InProcessCoordinator launcher, Func<Immortal> create, string name)
    {
        var options = new ImmortalOptions { InstanceName = name };
        var host = new ImmortalHost(create, options, services: _services);
        try
        {
            await launcher.RunAsync(options, (link, stop) => host.RunAsync(link, stop), _stop.Token);
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            // Stopped before it began.
        }
    }
}
