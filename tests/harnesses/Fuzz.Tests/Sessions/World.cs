using Ambrosia.Coordinator;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Memory;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;
using Ambrosia.Primitives.Loops;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.Fuzz.Tests.Sessions;

/// <summary>The real core of an instance called bank on a disk, a catalog and a network in memory, on a thread of its own.</summary>
internal sealed class World : IAsyncDisposable
{
    public static readonly EndPointName App = EndPointName.Pipe("app");
    public static readonly EndPointName Peers = EndPointName.Pipe("bank");
    public static readonly EndPointName LegacyReceive = EndPointName.Tcp("127.0.0.1", 1500);
    public static readonly EndPointName LegacySend = EndPointName.Tcp("127.0.0.1", 1501);
    public const int LargestMessage = 64 * 1024;
    public const int LargestFrame = LargestMessage + (256 * 1024);
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    private readonly LogStoreEnvironment _log = new();
    private readonly CancellationTokenSource _stop = new();
    private Task _running = Task.CompletedTask;

    private World(bool quickRetries)
    {
        Catalog = Catalogs.Open("memory:catalog", _log);
        Time = quickRetries ? new QuickRetries() : TimeProvider.System;
    }

    private TimeProvider Time { get; }

    public MemoryNetwork Network { get; } = new(new MemoryNetworkOptions());

    public ICatalog Catalog { get; }

    /// <summary>Asks the core to stop, which it must do in order.</summary>
    public async Task StopAsync()
    {
        await _stop.CancelAsync();
        await _running.WaitAsync(s_patience);
    }

    /// <summary>Codes with which the core ended, as documented, and was started again.</summary>
    public List<string> Ends { get; } = [];

    public static async Task<World> StartAsync(bool quickRetries = false)
    {
        var world = new World(quickRetries);
        await world.LaunchAsync();
        return world;
    }

    /// <summary>Fails unless the core runs, or has ended with one of the codes that a lie may lead to; then it is started again.</summary>
    public async Task RequireAliveAsync(params string[] documented)
    {
        if (!_running.IsCompleted)
        {
            return;
        }

        try
        {
            await _running;
            throw new InvalidOperationException("The core ended without being asked to.");
        }
        catch (CoordinatorException error) when (documented.Contains(error.Code))
        {
            Ends.Add(error.Code);
            await LaunchAsync();
        }
    }

    /// <summary>Waits for something that must happen while the core lives; says how the core ended if it did.</summary>
    public async Task<T> OfAsync<T>(Task<T> awaited)
    {
        if (await Task.WhenAny(awaited, _running, Task.Delay(s_patience)) is { } first && first != awaited && first == _running)
        {
            // What was on its way may still arrive.
            await Task.WhenAny(awaited, Task.Delay(TimeSpan.FromSeconds(1)));
            if (!awaited.IsCompleted)
            {
                throw new CoreEndedException(_running.Exception?.InnerException);
            }
        }

        return awaited.IsCompleted ? await awaited : throw new TimeoutException("The core is alive and does not answer.");
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        // What a failed test has to say comes before how the core ended.
        await Task.WhenAny(_running, Task.Delay(s_patience));
        await Catalog.DisposeAsync();
    }

    private async Task LaunchAsync()
    {
        var options = new CoordinatorOptions
        {
            InstanceName = "bank", Store = "memory:", PeerAddress = Peers, BindingSocket = App, ReceivePort = LegacyReceive.Port,
                SendPort = LegacySend.Port,
            CheckpointEvery = 1 << 20, SegmentSize = 256 * 1024, PageSize = 64 * 1024, MaxMessageSize = LargestMessage,
            MaxTurnBytes = 64 * 1024, Heartbeat = TimeSpan.FromMinutes(1),
        };
        var core = new ImmortalCore(options, new CoreEnvironment
        {
            Log = _log, Transport = Network.Node("bank"), Catalog = Catalog, Time = Time, Random = static () =>
                0.01, Logger = NullLogger.Instance,
        });
        _running = new ThreadLoopRunner().Start("core", () => core.RunAsync(_stop.Token));
        await Task.WhenAny(core.Listening, _running).WaitAsync(s_patience);
        if (_running.IsFaulted)
        {
            await _running;
        }
    }
}
