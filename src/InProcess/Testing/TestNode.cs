using Ambrosia.Coordinator;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Memory;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.Hosting;
using Ambrosia.Link;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Stores;
using Ambrosia.Testing.Virtual;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Testing;

/// <summary>One immortal on a host of its own: a disk, a coordinator process and an app process, each of which may be dead.</summary>
internal sealed class TestNode(string name, Func<Immortal> create, ImmortalOptions appOptions, TestWorld world)
{
    // Nothing in the world can fall silent without being told, so signs of life would only make long times slow to pass.
    private static readonly TimeSpan s_heartbeat = TimeSpan.FromHours(1);
    private readonly MemoryFileSystem _disk = new();
    private readonly ILogger _logger = world.Options.LoggerFactory.CreateLogger($"Ambrosia.{name}");
    private TimeSpan _clockOffset;
    private VirtualProcess? _coordinator;
    private VirtualProcess? _app;
    private Func<Immortal> _create = create;
    private ImmortalOptions _options = appOptions;
    private readonly Queue<EffectFault> _faults = new();
    private Successor? _successor;
    private int _upgrades;
    private bool _attached;

    public string Name => name;

    /// <summary>The immortal's object in the app that runs now.</summary>
    public Immortal? Immortal { get; private set; }

    public ImmortalCore? Core { get; private set; }

    /// <summary>Why it cannot go on although nobody killed it; null if it can.</summary>
    public string? Trouble { get; private set; }

    public Exception? Cause { get; private set; }

    public bool IsUp => _coordinator is { Alive: true } && _app is { Alive: true };

    /// <summary>It has recovered and acts.</summary>
    // Both are asked: until the coordinator has noticed the death of an app, it takes the next one for it.
    public bool IsPrimary => IsUp && Immortal is { } immortal && HostedImmortal.IsPrimary(immortal)
        && Core!.Role == ReplicaRole.Primary;

    /// <summary>It acts, and everything it was sent and has sent is handled and confirmed.</summary>
    public bool IsIdle => IsPrimary && Core!.IsIdle && HostedImmortal.RestsOutside(Immortal!);

    /// <summary>Where the app's own continuations run.</summary>
    public SynchronizationContext? AppContext { get; private set; }

    private EndPointName Socket => EndPointName.Pipe($"app-{name}");

    private string HostedCoordinator => $"{name}-coordinator";

    private string AppHost => HostOf(_upgrades);

    public void Start()
    {
        if (_coordinator is not { Alive: true })
        {
            StartCoordinator();
        }

        if (_app is { Alive: true } && !_attached)
        {
            End(_app, AppHost); // It waits for a coordinator that is no more.
        }

        if (_app is not { Alive: true })
        {
            StartApp();
        }
    }

    public void Kill(Killed what)
    {
        if (what != Killed.App)
        {
            End(_coordinator, HostedCoordinator);
        }

        if (what != Killed.Coordinator)
        {
            End(_app, AppHost);
            Immortal = null;
        }

        if (_successor is { } successor && what != Killed.App)
        {
            successor.Fail("the instance was killed meanwhile");
            End(successor.Process, HostOf(_upgrades + 1));
        }

        if (what == Killed.Host)
        {
            _disk.Crash(world.Loop.Random);
        }
    }

    /// <summary>Plans what happens to an attempt to perform an effect.</summary>
    public void Fail(EffectFault fault) => _faults.Enqueue(fault);

    /// <summary>Sets the wall clock of its host.</summary>
    public void MoveClock(TimeSpan by)
    {
        _clockOffset += by;
        foreach (VirtualProcess process in new[] { _coordinator, _app, _successor?.Process }.OfType<VirtualProcess>())
        {
            process.Time.ClockOffset = _clockOffset;
        }
    }

    /// <summary>Starts it as another app if it is down; false if it is not.</summary>
    public bool StartAs(Func<Immortal> make, ImmortalOptions options)
    {
        if (IsUp)
        {
            return false;
        }

        (_create, _options) = (make, options);
        Start();
        return true;
    }

    /// <summary>Starts an app that is to take the place of the one that runs, or of the next one if none does.</summary>
    public Successor BeginUpgrade(Func<Immortal> make, ImmortalOptions options)
    {
        VirtualProcess process = NewProcess(null);
        var successor = new Successor(process, make, options);
        _successor = successor;
        ImmortalCore core = Core!;
        _ = process.Start(name, () => FollowAsync(core, successor, HostOf(_upgrades + 1)));
        return successor;
    }

    /// <summary>True once the successor is the app, or has failed.</summary>
    public bool EndUpgrade(Successor successor)
    {
        if (successor.IsInstalled)
        {
            return true;
        }

        if (successor.Failure is not null)
        {
            End(successor.Process, HostOf(_upgrades + 1));
            _successor = null;
            return true;
        }

        if (!successor.Serves || _app is { Alive: true })
        {
            return false;
        }

        _upgrades++;
        (_app, _attached, _successor) = (successor.Process, true, null);
        (_create, _options, Immortal, AppContext) = (successor.Create, successor.Options, successor.Immortal, successor.Context);
        _options.Upgrade = false;
        successor.IsInstalled = true;
        return true;
    }

    public string Describe() => (_coordinator, _app) switch
    {
        (null, _) => $"{name}: not started yet",
        ({ Alive: false }, _) => $"{name}: its coordinator is down",
        (_, { Alive: false }) => $"{name}: its app is down; coordinator: {Core!.Describe()}",
        _ => $"{name}: {Core!.Describe()}",
    };

    private VirtualProcess NewProcess(MemoryFileSystem? disk)
    {
        var process = new VirtualProcess(world.Loop, disk);
        process.Time.ClockOffset = _clockOffset;
        return process;
    }

    private void End(VirtualProcess? process, string host)
    {
        process?.Kill();
        world.Network.Kill(host);
    }

    private void StartCoordinator()
    {
        VirtualProcess process = NewProcess(_disk);
        _coordinator = process;
        var log = new LogStoreEnvironment
        {
            Memory = process.Files!, Loops = process, Time = process.Time, Entropy = process, Fatal = process, Logger = _logger,
        };
        var core = new ImmortalCore(CoordinatorOptions(), new CoreEnvironment
        {
            Log = log,
            Transport = world.Network.Node(HostedCoordinator),
            Catalog = new FileCatalog(world.CatalogDisk, "/catalog", process.Time),
            Time = process.Time,
            Random = world.Loop.Random.NextDouble,
            AwakeableAddress = () => _create == Caller.Create ? null : WorldCompletion.AddressOf(name),
            Logger = _logger,
        });
        Core = core;
        _ = process.Start(name, () => ServeAsync(core, process));
    }

    private CoordinatorOptions CoordinatorOptions() => new()
    {
        InstanceName = name,
        Store = "memory:store",
        Catalog = "memory:catalog",
        BindingSocket = Socket,
        PeerAddress = EndPointName.Pipe($"peer-{name}"),
        SegmentSize = 256 << 10,
        PageSize = 64 << 10,
        CheckpointEvery = _create == Caller.Create ? long.MaxValue : world.Options.CheckpointEvery,
        Heartbeat = s_heartbeat,
    };

    private async Task ServeAsync(ImmortalCore core, VirtualProcess process)
    {
        try
        {
            await core.RunAsync(CancellationToken.None);
            Fail($"the coordinator of {name} has stopped", null);
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            Fail($"the coordinator of {name} cannot go on: {process.LastWords ?? error.Message}", error);
        }
    }

    private void StartApp()
    {
        VirtualProcess process = NewProcess(null);
        _app = process;
        _attached = false;
        Immortal = null;
        ImmortalCore core = Core!;
        _ = process.Start(name, () => AttachAsync(core, process));
    }

    private async Task AttachAsync(ImmortalCore core, VirtualProcess process)
    {
        AppContext = SynchronizationContext.Current;
        byte[] id = new byte[16];
        process.Fill(id);
        var incarnation = new Guid(id);
        var host = new ImmortalHost(Create, _options, _logger, process.Time, world.Options.Services) { AroundEffects = AttemptAsync };
        try
        {
            await core.Listening;
            await using IConnection link = await world.Network.Node(AppHost).ConnectAsync(Socket, CancellationToken.None);
            _attached = true;
            string reason = await host.RunAsync(link, CancellationToken.None, incarnation);
            if (host.WasReplaced)
            {
                End(process, AppHost);
                return;
            }

            Fail($"the app of {name} has ended: {reason}", null);
        }
        catch (IOException) when (Core != core || _coordinator is { Alive: false })
        {
            // Its coordinator was killed. If there is a new one, the app is started again, too, as a supervisor of both would do.
            End(process, AppHost);
            if (Core != core)
            {
                StartApp();
            }
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            Fail($"the app of {name} has failed: {error.Message}", error);
        }
    }

    private async Task FollowAsync(ImmortalCore core, Successor successor, string from)
    {
        successor.Context = SynchronizationContext.Current;
        byte[] id = new byte[16];
        successor.Process.Fill(id);
        var incarnation = new Guid(id);
        var host = new ImmortalHost(successor.Make, successor.Options, _logger, successor.Process.Time, world.Options.Services)
        {
            AroundEffects = AttemptAsync,
        };
        try
        {
            await core.Listening;
            await using IConnection link = await world.Network.Node(from).ConnectAsync(Socket, CancellationToken.None);
            string reason = await host.RunAsync(link, CancellationToken.None, incarnation);
            if (host.WasReplaced)
            {
                End(successor.Process, from);
                return;
            }

            Fail($"the app of {name} has ended: {reason}", null);
        }
        catch (Exception error) when (error is not OutOfMemoryException && !successor.IsInstalled)
        {
            successor.Fail(error.Message);
        }
        catch (IOException) when (Core != core || _coordinator is { Alive: false })
        {
            End(successor.Process, from);
            if (Core != core)
            {
                StartApp();
            }
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            Fail($"the app of {name} has failed: {error.Message}", error);
        }
    }

    private async Task AttemptAsync(EffectContext effect, Func<Task> perform)
    {
        if (!_faults.TryDequeue(out EffectFault fault))
        {
            await perform();
            return;
        }

        switch (fault)
        {
            case EffectFault.LoseOutcome:
                await perform();
                await DieAsync();
                break;
            case EffectFault.Repeat:
                await perform();
                await perform();
                break;
            case EffectFault.Throw:
                throw new IOException("planned by the test");
            case EffectFault.Hang:
                await new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously).Task;
                break;
            case EffectFault.KillProcess:
                await DieAsync();
                break;
            default:
                throw new System.Diagnostics.UnreachableException($"{fault}");
        }
    }

    private Task DieAsync()
    {
        Kill(Killed.Process);
        Start();
        return new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously).Task; // Nothing of a dead process goes on.
    }

    private string HostOf(int upgrades) => upgrades == 0 ? $"{name}-app" : $"{name}-app-{upgrades}";

    private Immortal Create() => Immortal = _create();

    private void Fail(string trouble, Exception? cause)
    {
        Trouble ??= trouble;
        Cause ??= cause;
    }
}
