using Ambrosia.ImmortalCoordinator.Core;
using Ambrosia.ImmortalCoordinator.Hosting;
using Ambrosia.ImmortalCoordinator.Transport;
using Ambrosia.ImmortalCoordinator.Transport.Memory;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Files.Memory;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Simulation.Tests;

/// <summary>One instance on a host of its own: a disk, a coordinator process and an app process, each of which may be dead.</summary>
internal sealed class SimNode(SimLoop loop, SimOracle oracle, MemoryNetwork network, MemoryFileSystem catalogDisk, string name, string[] names, SimSettings settings, ILogger logger) : IFileFaults
{
    private readonly MemoryFileSystem _disk = new();
    private SimProcess? _coordinator;
    private SimProcess? _appProcess;
    private int _lives;

    public string Name => name;

    public ImmortalCore? Core { get; private set; }

    public SimApp? App { get; private set; }

    public bool CoordinatorAlive => _coordinator is { Alive: true };

    public bool AppAlive => _appProcess is { Alive: true } && App is { Ended: false };

    /// <summary>Exceptions and fatal ends of coordinators that the schedule did not ask for.</summary>
    public string? Trouble { get; private set; }

    private EndPointName Socket => EndPointName.Pipe($"app-{name}");

    private string CoordinatorNode => $"{name}-coordinator";

    private string AppNode => $"{name}-app";

    public void StartCoordinator()
    {
        _disk.Faults = this;
        var process = new SimProcess(loop, _disk);
        process.Time.ClockOffset = TimeSpan.FromSeconds(loop.Random.Next(-3600, 3600));
        _coordinator = process;
        _lives++;
        var log = new LogStoreEnvironment
        {
            Files = process.Files!, Loops = process, Time = process.Time, Entropy = process, Fatal = process, Logger = logger,
        };
        var options = new CoordinatorOptions
        {
            InstanceName = name,
            Store = "file:/store",
            Catalog = "file:/catalog",
            BindingSocket = Socket,
            SegmentSize = settings.SegmentSize,
            PageSize = settings.PageSize,
            CheckpointEvery = settings.CheckpointEvery,
            MaxBuffered = settings.MaxBuffered,
            MaxLag = settings.MaxLag,
        };
        Core = new ImmortalCore(options, new CoreEnvironment
        {
            Log = log,
            Transport = network.Node(CoordinatorNode),
            Catalog = new FileCatalog(catalogDisk, "/catalog"),
            Time = process.Time,
            Random = loop.Random.NextDouble,
            Logger = logger,
        });
        ImmortalCore core = Core;
        process.Killed = () => network.Kill(CoordinatorNode);
        _ = process.Start(name, async () =>
        {
            try
            {
                await core.RunAsync(CancellationToken.None);
            }
            catch (Exception error)
            {
                Trouble ??= $"{name}: {error}\non its disk: {await DescribeDiskAsync()}";
            }

            process.Kill();
            network.Kill(CoordinatorNode);
        });
    }

    public void StartApp()
    {
        var process = new SimProcess(loop, null);
        _appProcess = process;
        var app = new SimApp(loop, name, names, network.Node(AppNode), Socket, oracle, settings.MaxPayload);
        App = app;
        _ = process.Start(name, app.RunAsync);
    }

    public void KillCoordinator(bool powerCut)
    {
        _coordinator?.Kill();
        network.Kill(CoordinatorNode);
        if (powerCut)
        {
            _disk.Crash(loop.Random);
        }
    }

    public void KillApp()
    {
        _appProcess?.Kill();
        network.Kill(AppNode);
    }

    public void SendImpulse(ulong identity)
    {
        if (_appProcess is { Alive: true })
        {
            App?.SendImpulse(identity);
        }
    }

    private async ValueTask<string> DescribeDiskAsync()
    {
        var lines = new List<string>();
        foreach (string folder in new[] { "", "/log", "/checkpoints", "/scratch" })
        {
            foreach (string file in await _disk.ListAsync($"/store/{name}{folder}"))
            {
                lines.Add($"{folder}/{file} {(await _disk.StatAsync($"/store/{name}{folder}/{file}"))?.Length}");
            }
        }

        return string.Join(", ", lines);
    }

    public async ValueTask<FileFault> BeforeAsync(FileCall call)
    {
        if (_coordinator is { } process && loop.Random.Next(3) == 0)
        {
            await Task.Delay(TimeSpan.FromTicks(loop.Random.Next(1, 20_000)), process.Time);
        }

        return FileFault.None;
    }
}
