using Ambrosia.Coordinator;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Memory;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Primitives.Loops;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.CrashPoints.Tests.Scripts;

/// <summary>Lives of a real coordinator with its app: first start, calls to itself, checkpoints on the way, its entry in the catalog,
/// recovery.</summary>
internal sealed class CoreScript(ulong last)
{
    private const int Payload = 1500;
    private static readonly EndPointName s_socket = EndPointName.Pipe("app");

    public CorePromises Promised { get; private init; } = new();

    /// <summary>Lives up to these messages, each of which dies without a farewell; null if all is well.</summary>
    public string? Run(MemoryFileSystem disk, params ulong[] goals)
    {
        foreach (ulong goal in goals)
        {
            if (Live(disk, goal) is { } violation)
            {
                return violation;
            }
        }

        return null;
    }

    /// <summary>The life after a crash goes on to the chain's end.</summary>
    public string? Recover(MemoryFileSystem disk) => new CoreScript(last) { Promised = Promised.Copy() }.Live(disk, last);

    private string? Live(MemoryFileSystem disk, ulong goal)
    {
        MemoryProcess process = disk.NewProcess();
        var network = new MemoryNetwork(new MemoryNetworkOptions());
        var time = new StillTime();
        var core = new ImmortalCore(Options(), new CoreEnvironment
        {
            Log = new LogStoreEnvironment { Files = process, Loops = new InlineLoopRunner(), Time = time, Entropy = new FixedEntropy(),
                Fatal = new RecordingFatal() },
            Transport = network.Node("bank"),
            Catalog = new FileCatalog(process, "/catalog", time),
            Time = time,
            Random = static () => 0,
            Logger = NullLogger.Instance,
        });
        var app = new ChainApp(network.Node("app"), s_socket, Promised, last, Payload);
        Task running = Task.CompletedTask;
        bool reached = new CoreLoop().Run(
            () => running = LiveAsync(core, app),
            () => running.IsCompleted || Promised.Violation is not null || (app.IsPrimary && app.Executed >= goal && core.IsIdle));
        process.Kill();
        return Promised.Violation ?? running.Exception?.InnerException?.ToString()
            ?? (reached && app.Executed >= goal ? null : $"the chain stands still at message {app.Executed} of {goal}: {core.Describe()}");
    }

    private static async Task LiveAsync(ImmortalCore core, ChainApp app)
    {
        Task serving = core.RunAsync(CancellationToken.None);
        await Task.WhenAny(serving, core.Listening);
        await await Task.WhenAny(serving, app.RunAsync());
    }

    private static CoordinatorOptions Options() => new()
    {
        InstanceName = "bank",
        Store = "file:/store",
        Catalog = "file:/catalog",
        PeerAddress = EndPointName.Pipe("bank"),
        BindingSocket = s_socket,
        SegmentSize = 64 << 10,
        PageSize = 4096,
        CheckpointEvery = 4_000,
    };
}
