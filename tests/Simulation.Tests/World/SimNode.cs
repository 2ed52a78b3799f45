using Ambrosia.ImmortalCoordinator;
using Ambrosia.ImmortalCoordinator.Core;
using Ambrosia.ImmortalCoordinator.Hosting;
using Ambrosia.ImmortalCoordinator.Transport;
using Ambrosia.ImmortalCoordinator.Transport.Memory;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Format;
using Ambrosia.Testing.Virtual;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Simulation.Tests;

/// <summary>One instance on a host of its own: a disk, a coordinator process and an app process, each of which may be dead.</summary>
[System.Diagnostics.CodeAnalysis.SuppressMessage("Design", "CA1001", Justification = "The source of a stop request has no timer; whoever waits for it may be killed at any moment.")]
internal sealed class SimNode
{
    private static readonly long s_restartPause = TimeSpan.FromMilliseconds(20).Ticks;
    private const long LargestChunk = 256 << 10;
    private readonly SimWorld _world;
    private readonly bool _scripted;
    private readonly SimDisk _disk;
    private readonly ILogger _logger;
    private VirtualProcess? _coordinator;
    private VirtualProcess? _appProcess;
    private CancellationTokenSource? _stop;
    private TimeSpan _clock;
    private bool _mayFail;
    private long _coordinatorMayStart;
    private long _appMayStart;
    private (string Path, long Offset, byte Rotten, byte Good)? _rot;
    private readonly SimOperator _operator;

    public SimNode(SimWorld world, string name, bool scripted)
    {
        _world = world;
        _scripted = scripted;
        Name = name;
        _operator = new SimOperator(world, name);
        _disk = new SimDisk(world.Loop) { Struck = Struck, State = () => State };
        _logger = new ProbeLogger(world.Report, world.Print is { } print ? line => print($"{name}: {line}") : null);
    }

    public string Name { get; }

    public ImmortalCore? Core { get; private set; }

    public ISimApp? App { get; private set; }

    public SimDisk Disk => _disk;

    public bool CoordinatorAlive => _coordinator is { Alive: true };

    public bool AppAlive => _appProcess is { Alive: true } && App is { Ended: false };

    public bool Paused => _coordinator is { Alive: true, Paused: true } || _appProcess is { Alive: true, Paused: true };

    /// <summary>Both act, and nothing is on its way.</summary>
    public bool IsIdle => CoordinatorAlive && AppAlive && !Paused && App!.IsIdle && Core!.IsIdle && _disk.Pending == 0 && !_operator.IsBusyWith(Core);

    /// <summary>Its app was refused because of a message that has ended it too often.</summary>
    public bool OnHold => App is { Refusal: "IC-1036" };

    /// <summary>Whoever restarts processes does not do so without any pause.</summary>
    public bool CoordinatorMayStart => !CoordinatorAlive && _world.Loop.Now >= _coordinatorMayStart;

    public bool AppMayStart => !AppAlive && CoordinatorAlive && _world.Loop.Now >= _appMayStart;

    /// <summary>Exceptions and ends that the schedule did not ask for.</summary>
    public string? Trouble { get; private set; }

    public string CoordinatorHost => $"{Name}-coordinator";

    public string AppHost => $"{Name}-app";

    private EndPointName Socket => EndPointName.Pipe($"app-{Name}");

    /// <summary>What it is doing now.</summary>
    public SimState State
    {
        get
        {
            if (!CoordinatorAlive)
            {
                return SimState.Down;
            }

            CoreActivity now = Core!.Activity;
            // A limit, a chunk that is being filled and one that is being sent, for each destination (G5).
            _world.Oracle.Require(
                now.OutputMemory <= (_world.Settings.MaxBuffered + 2 * LargestChunk) * _world.Settings.Instances, $"{Name} holds {now.OutputMemory} bytes of output in memory (G5)");
            return now.Role switch
            {
                "starting" => SimState.Opening,
                "first start" => SimState.FirstStart,
                "draining" => SimState.Draining,
                _ when !now.AppAttached => now.Role == "recovering" ? SimState.Recovering : SimState.AppGone,
                _ when !now.AppIsPrimary => SimState.AppRestoring,
                _ when _disk.IsCheckpointing => SimState.Checkpointing,
                _ when _disk.IsRolling => SimState.Rolling,
                _ when now.Spills => SimState.Spilling,
                _ when now.LacksConnection => SimState.Reconnecting,
                _ when now.AppIsBehind => SimState.CatchingUp,
                _ when now.HasOutput => SimState.Sending,
                _ => SimState.Idle,
            };
        }
    }

    /// <summary>The app and its coordinator as they were when the app began, both still there.</summary>
    public bool Survived(AppLife life) => App?.Life == life && AppAlive && life.CoordinatorLife == _coordinator && CoordinatorAlive;

    public void StartCoordinator()
    {
        SimSettings settings = _world.Settings;
        var process = new VirtualProcess(_world.Loop, _disk.Disk);
        // After a reboot, or a move to another machine, the clock may be another one.
        _clock = TimeSpan.FromSeconds(_world.Loop.Random.Next(-3600, 3600));
        MoveClock(default);
        process.Time.ClockOffset = _clock;
        _disk.Restart(process.Time);
        _coordinator = process;
        _coordinatorMayStart = _world.Loop.Now + s_restartPause;
        _mayFail = false;
        _stop = new CancellationTokenSource();
        var log = new LogStoreEnvironment
        {
            Files = process.Files!, Loops = process, Time = process.Time, Entropy = process, Fatal = process, Logger = _logger,
        };
        var options = new CoordinatorOptions
        {
            InstanceName = Name,
            Store = "file:/store",
            Catalog = "file:/catalog",
            BindingSocket = Socket,
            SegmentSize = settings.SegmentSize,
            PageSize = settings.PageSize,
            CheckpointEvery = settings.CheckpointEvery,
            MaxBuffered = settings.MaxBuffered,
            MaxLag = settings.MaxLag,
            MaxSpill = settings.MaxSpill,
            QuarantineAfter = _world.Poison.QuarantineAfter,
        };
        ImmortalCore core = Core = new ImmortalCore(options, new CoreEnvironment
        {
            Log = log,
            Transport = new AppProcessTransport(_world.Network.Node(CoordinatorHost), () => new SimAppProcess(_world.Loop, _appProcess!, _world.Poison.KernelTells)),
            Catalog = new FileCatalog(_world.CatalogDisk, "/catalog"),
            Time = process.Time,
            Random = _world.Loop.Random.NextDouble,
            Logger = _logger,
        });
        process.Killed = () => _world.Network.Kill(CoordinatorHost);
        _ = process.Start(Name, () => ServeAsync(core, process, _stop.Token));
    }

    public void StartApp()
    {
        _appProcess?.Kill();
        var process = new VirtualProcess(_world.Loop, null);
        process.Time.ClockOffset = _clock;
        _appProcess = process;
        _appMayStart = _world.Loop.Now + s_restartPause;
        var life = new AppLife(_world.Oracle, Name, _coordinator!);
        _world.Oracle.Begins(life);
        ITransport transport = _world.Network.Node(AppHost);
        App = _scripted
            ? new ScriptedApp(_world.Loop, process, life, transport, Socket, _world.Workload, _world.Poison)
            : new WalkerApp(process, life, transport, Socket, _world.Workload, _world.Poison, _world.Settings.App);
        ISimApp app = App;
        process.Killed = () =>
        {
            if (process.LastWords is null)
            {
                _world.Network.Kill(AppHost);
            }
            else
            {
                app.Vanish(); // What it had handed to the kernel arrives.
            }
        };
        _ = process.Start(Name, App.RunAsync);
    }

    public void KillCoordinator() => _coordinator?.Kill();

    public void KillApp() => _appProcess?.Kill();

    /// <summary>Both are gone, and of what was not synced a part.</summary>
    public void CutPower(bool silently)
    {
        if (silently)
        {
            // First: whoever is told of a connection's end knows that the host is gone.
            _world.Network.LoseHost(CoordinatorHost);
        }

        KillCoordinator();
        KillApp();
        if (_disk.Disk.HasUnsyncedNames)
        {
            _world.Report.Sometimes(Sighting.UnsyncedNamesLost);
        }

        _disk.Disk.Crash(_world.Loop.Random);
    }

    public void Stop() => _coordinator?.Post(() => _stop!.Cancel());

    public void Pause(bool app) => (app ? _appProcess : _coordinator)?.Pause();

    public void Resume()
    {
        _appProcess?.Resume();
        _coordinator?.Resume();
    }

    public void MoveClock(TimeSpan by)
    {
        _clock += by;
        foreach (VirtualProcess process in new[] { _coordinator, _appProcess }.OfType<VirtualProcess>())
        {
            process.Time.ClockOffset = _clock;
        }
    }

    /// <summary>Turns some bits of a file at rest. Once in a life: two copies of everything are kept, not three.</summary>
    public bool Rot()
    {
        string[] files = [.. _disk.Disk.AllFiles().Where(static path => path.EndsWith(".seg", StringComparison.Ordinal) || path.EndsWith(".ckpt", StringComparison.Ordinal) || path.Contains("/manifest.", StringComparison.Ordinal))];
        if (_rot is not null || files.Length == 0)
        {
            return false;
        }

        string path = files[_world.Loop.Random.Next(files.Length)];
        byte[] content = _disk.Disk.ReadAll(path);
        int used = content.AsSpan().LastIndexOfAnyExcept((byte)0) + 1;
        long offset = _world.Loop.Random.Next(path.EndsWith(".seg", StringComparison.Ordinal) ? LastRecord(content, used / 2) : used);
        if (used < 2)
        {
            return false;
        }

        byte good = content[offset];
        byte mask = (byte)(1 << _world.Loop.Random.Next(8));
        _disk.Disk.FlipBits(path, offset, mask);
        _rot = (path, offset, (byte)(good ^ mask), good);
        return true;
    }

    /// <summary>Where a segment's last record begins, which nobody can tell from a write that a power cut has torn.</summary>
    private static int LastRecord(ReadOnlySpan<byte> content, int otherwise)
    {
        int last = otherwise;
        Lsn next = Lsn.None;
        for (int at = SegmentHeader.Size; at + RecordHeader.Size <= content.Length && RecordHeader.IsIntact(content[at..]);)
        {
            RecordHeader header = RecordHeader.Read(content[at..]);
            if (next != Lsn.None && header.Lsn != next)
            {
                break;
            }

            (last, next, at) = (at, header.Lsn.Next, (int)(at + header.StoredSize));
        }

        return last;
    }

    /// <summary>Whoever looks after it decides about messages that end its app.</summary>
    public void AskOperator(bool finish) => _operator.Act(Core!, OnHold, finish);

    /// <summary>Compares the dead letters that it keeps with what is known.</summary>
    public void CompareLetters() => _operator.Compare(Core!);

    public void SendImpulse(string to, ulong id, int depth) => App?.SendImpulse(to, id, depth);

    public string Describe() =>
        $"{Name}: {State}, coordinator {(CoordinatorAlive ? "alive" : "dead")}, app {(App is { IsPrimary: true } ? "primary" : "not primary")}{(AppAlive ? "" : ", dead")}{(Paused ? ", paused" : "")} at {App?.Life.DoneLsn}, {Core?.Describe()}";

    private void Struck(SimFault fault)
    {
        _mayFail = true;
        _world.Count(fault, this);
    }

    private async Task ServeAsync(ImmortalCore core, VirtualProcess process, CancellationToken stop)
    {
        try
        {
            await core.RunAsync(stop);
            if (!stop.IsCancellationRequested)
            {
                Trouble ??= $"the coordinator of {Name} stopped by itself";
            }
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            Judge(error, process);
        }

        process.Kill();
    }

    /// <summary>A device that failed stops its coordinator, damage stops it until somebody repairs it; nothing else may.</summary>
    private void Judge(Exception error, VirtualProcess process)
    {
        _world.Print?.Invoke($"{Name}: ended with {error.Message}");
        bool damaged = error is LogStoreException { ExitCode: LogExitCode.Damaged } or CoordinatorException { ExitCode: ExitCode.StoreDamaged };
        if (damaged && _rot is { } rot)
        {
            _world.Report.Sometimes(Sighting.RotStoppedCoordinator);
            Repair(rot);
        }
        else if (!_mayFail || error is not (LogStoreException { ExitCode: LogExitCode.DeviceFailed or LogExitCode.NotUsable or LogExitCode.LeaseLost } or FileFailedException))
        {
            Trouble ??= $"the coordinator of {Name} ended ({process.LastWords}): {error}";
        }
        else
        {
            _world.Report.Sometimes(Sighting.DeviceStoppedCoordinator);
        }
    }

    private void Repair((string Path, long Offset, byte Rotten, byte Good) rot)
    {
        // The operator restores the file from a copy.
        if (_disk.Disk.AllFiles().Contains(rot.Path) && _disk.Disk.ReadAll(rot.Path) is { } content && rot.Offset < content.Length && content[rot.Offset] == rot.Rotten)
        {
            _disk.Disk.FlipBits(rot.Path, rot.Offset, (byte)(rot.Rotten ^ rot.Good));
        }

        _rot = null;
    }
}
