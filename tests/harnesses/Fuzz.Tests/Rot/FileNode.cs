using Ambrosia.Coordinator;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Memory;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.Fuzz.Tests.Sessions;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Primitives.Loops;

namespace Ambrosia.Fuzz.Tests.Rot;

/// <summary>A real core on real files, with an app that keeps the rules, on a network in memory.</summary>
internal sealed class FileNode : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _listening;
    private readonly ImmortalCore _core;

    private FileNode(string name, string root, MemoryNetwork network, ICatalog catalog)
    {
        var options = new CoordinatorOptions
        {
            InstanceName = name, Store = "file:" + root, PeerAddress = EndPointName.Pipe(name),
                BindingSocket = EndPointName.Pipe("app-" + name), SegmentSize = 256 * 1024, PageSize = 64 * 1024,
            CheckpointEvery = 64 << 20, Heartbeat = TimeSpan.FromMinutes(1), MaxMessageSize = World.LargestMessage,
            MaxTurnBytes = 64 * 1024,
        };
        _core = new ImmortalCore(options, new CoreEnvironment
        {
            Log = new LogStoreEnvironment { Logger = Logger, Fatal = new RecordingFatal() }, Transport = network.Node(name),
                Catalog = catalog, Time = new QuickRetries(), Random = static () => 0.01, Logger = Logger,
        });
        _listening = _core.Listening;
        Running = new ThreadLoopRunner().Start(name, () => _core.RunAsync(_stop.Token));
    }

    /// <summary>Warnings and errors.</summary>
    public CollectingLogger Logger { get; } = new();

    /// <summary>Ends or fails as the core does.</summary>
    public Task Running { get; }

    public GoodApp? App { get; private set; }

    /// <summary>Nothing is on its way, in either direction.</summary>
    public bool IsIdle
    {
        get
        {
            try
            {
                return _core.IsIdle;
            }
            catch (InvalidOperationException)
            {
                return false; // Its tables change while they are read from here.
            }
        }
    }

    public static async Task<FileNode> StartAsync(string name, string root, MemoryNetwork network, ICatalog catalog, string? talksTo = null)
    {
        var node = new FileNode(name, root, network, catalog);
        await Task.WhenAny(node._listening, node.Running).WaitAsync(s_patience);
        if (!node.Running.IsCompleted)
        {
            node.App = await GoodApp.AttachAsync(network, name, talksTo);
            await Task.WhenAny(node.App.Primary, node.Running).WaitAsync(s_patience);
        }

        return node;
    }

    public async Task UntilAsync(Func<bool> condition)
    {
        for (int tries = 0; !condition(); tries++)
        {
            Assert.True(tries < 6000, $"It did not happen. {Running.Exception?.InnerException} {string.Join("\n", Logger.Lines)}");
            await Task.Delay(10);
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (App is not null)
        {
            await App.DisposeAsync();
        }

        await _stop.CancelAsync();
        await Task.WhenAny(Running, Task.Delay(s_patience));
        _stop.Dispose();
    }
}
