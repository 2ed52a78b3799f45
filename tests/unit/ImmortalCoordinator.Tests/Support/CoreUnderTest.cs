using Ambrosia.Coordinator;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Memory;
using Ambrosia.CoordinatorHost;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;
using Ambrosia.Primitives.Loops;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>The real core on memory store, memory catalog and memory network, on a thread of its own.</summary>
public sealed class CoreUnderTest : IAsyncDisposable
{
    public static readonly EndPointName AppAddress = EndPointName.Pipe("app");
    public static readonly EndPointName PeerAddress = EndPointName.Pipe("bank");

    private readonly CancellationTokenSource _stop = new();

    private CoreUnderTest(
        string token, CoordinatorOptions options, LogStoreEnvironment log, AppProcesses? processes, ITransport? peers, ITransport? apps,
        CoreLimits limits, Func<ICatalog, ICatalog>? around)
    {
        Catalog = Catalogs.Open("memory:catalog", log);
        var core = new ImmortalCore(options, new CoreEnvironment
        {
            Log = log,
            Token = token,
            Transport = apps ?? (processes is null ? Network.Node("bank") : processes.Around(Network.Node("bank"))),
            PeerTransport = peers,
            Catalog = around is null ? Catalog : around(Catalog),
            Random = static () => 0.5,
            AwakeableAddress = options.AddressOfAwakeables,
            Logger = Lines,
            Limits = limits,
        });
        Core = core;
        Options = options;
        Listening = core.Listening;
        Running = new ThreadLoopRunner().Start("core", () => core.RunAsync(_stop.Token));
    }

    /// <summary>What the core has said.</summary>
    public LogLines Lines { get; } = new();

    public ImmortalCore Core { get; }

    /// <summary>What it was started with.</summary>
    public CoordinatorOptions Options { get; }

    public ICoordinatorStatus Status => Core.Status!;

    public MemoryNetwork Network { get; } = new(new MemoryNetworkOptions());

    public ICatalog Catalog { get; }

    /// <summary>Ends or fails as the core does.</summary>
    public Task Running { get; }

    private Task Listening { get; }

    /// <summary>Starts a core; one that is given another's environment recovers from its log.</summary>
    public static async Task<CoreUnderTest> StartAsync(
        string token = "", Action<CoordinatorOptions>? change = null, LogStoreEnvironment? log = null, AppProcesses? processes = null,
        ITransport? peers = null, CoreLimits? limits = null,
        Func<ICatalog, ICatalog>? catalog = null, ITransport? apps = null)
    {
        CoreUnderTest core = Begin(token, change, log, processes, peers, limits, catalog, apps);
        await (await Task.WhenAny(core.Listening, core.Running)).OrFail();
        return core;
    }

    /// <summary>Starts a core and does not wait until it serves.</summary>
    public static CoreUnderTest Begin(
        string token = "", Action<CoordinatorOptions>? change = null, LogStoreEnvironment? log = null, AppProcesses? processes = null,
        ITransport? peers = null, CoreLimits? limits = null,
        Func<ICatalog, ICatalog>? catalog = null, ITransport? apps = null)
    {
        var options = new CoordinatorOptions
        {
            InstanceName = "bank",
            Store = "memory:",
            PeerAddress = PeerAddress,
            BindingSocket = AppAddress,
            CheckpointEvery = 64 << 20,
            SegmentSize = 1 << 20,
            PageSize = 64 * 1024,
        };
        change?.Invoke(options);
        return new CoreUnderTest(token, options, log ?? new LogStoreEnvironment(), processes, peers, apps, limits
            ?? new CoreLimits(), catalog);
    }

    /// <summary>
    /// Where everything stands now; a picture of the status may be a second old. Read again if the core, in its own thread, just adds
    /// something.
    /// </summary>
    public string Describe()
    {
        while (true)
        {
            try
            {
                return Core.Describe();
            }
            catch (InvalidOperationException)
            {
                Thread.Yield();
            }
        }
    }

    public Task<ScriptedApp> ConnectAppAsync() => ScriptedApp.ConnectAsync(Network.Node("app"));

    /// <summary>An app that serves, knows its own instance as a destination, and has executed the first record.</summary>
    public async Task<ScriptedApp> ServeAsync()
    {
        ScriptedApp app = await ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.Rpc);
        await app.SayAsync(BindingMessageType.Destination, new DestinationName(0, "").Write);
        await app.DoneAsync(1);
        return app;
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        try
        {
            await Running.OrFail();
        }
        catch (Exception error) when (error is CoordinatorException or LogStoreException)
        {
            // The test has looked at it.
        }

        _stop.Dispose();
    }
}
