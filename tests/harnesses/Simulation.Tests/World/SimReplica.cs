using Ambrosia.Coordinator;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives.Errors;
using Ambrosia.Primitives;
using Ambrosia.Testing.Virtual;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Simulation.Tests;

/// <summary>A coordinator process and an app process of one instance, each of which may be dead. Most instances have one such pair;
/// replicas share the instance's disk.</summary>
[System.Diagnostics.CodeAnalysis.SuppressMessage("Design", "CA1001",
    Justification = "The source of a stop request has no timer; a process that waits for it may be killed at any moment.")]
internal sealed class SimReplica
{
    private static readonly long s_restartPause = TimeSpan.FromMilliseconds(20).Ticks;
    private static readonly TimeSpan s_upgradeWait = TimeSpan.FromSeconds(5);
    private const long LargestChunk = 256 << 10;
    private readonly SimWorld _world;
    private readonly SimNode _node;
    private readonly ILogger _logger;
    private readonly string _suffix;
    private VirtualProcess? _coordinator;
    private VirtualProcess? _appProcess;
    private AppLife? _newestLife;
    private VirtualProcess? _candidateProcess;
    private bool _upgradeStep;
    private bool _converts;
    private bool _diedInMessage;
    private int _candidates;
    private CancellationTokenSource? _stop;
    private TimeSpan _clock;
    private ulong _durableBefore;
    private bool _mayFail;
    private int _lives;
    private long _coordinatorMayStart;
    private long _begunAt;
    private long _appMayStart;

    /// <summary>One whose processes have not been started.</summary>
    /// <param name="world">What all share.</param>
    /// <param name="node">Its instance.</param>
    /// <param name="number">Its number among those of its instance.</param>
    public SimReplica(SimWorld world, SimNode node, int number)
    {
        (_world, _node, Number) = (world, node, number);
        _suffix = node.HasReplicas ? $"-{number}" : "";
        Wire = node.Service is null ? null : new ServiceWire(world.Loop, world.Replicas.Random, world.Report);
        _logger = new ProbeLogger(world.Report, world.Print is { } print ? line => print($"{node.Name}{_suffix}: {line}") : null)
        {
            Role = () => Role,
            IsInService = node.Service is not null,
            UpgradeStep = () => _upgradeStep = true,
            IsAtCommit = () => world.Upgrades.GoesBack && (Candidate is not null || _converts),
            EpochOpened = epoch => world.Oracle.EpochOpened(node.Name, epoch, mayBeLate: node.Service is not null),
        };
    }

    public int Number { get; }

    /// <summary>What lies between it and the service that the log is in.</summary>
    public ServiceWire? Wire { get; }

    public ImmortalCore? Core { get; private set; }

    /// <summary>The last record that one of its coordinators, alive or ended, knew to be durable.</summary>
    public ulong DurableLsn => Math.Max(_durableBefore, Core?.DurableLsn.Value ?? 0);

    public ISimApp? App { get; private set; }

    /// <summary>An app that is to take the place of the one that serves; null if there is none.</summary>
    public ISimApp? Candidate { get; private set; }

    /// <summary>Whether it is to be running: replicas come and go.</summary>
    public bool Wanted { get; set; } = true;

    public bool CoordinatorAlive => _coordinator is { Alive: true };

    public bool AppAlive => _appProcess is { Alive: true } && App is { Ended: false };

    public bool Paused => _coordinator is { Alive: true, Paused: true } || _appProcess is { Alive: true, Paused: true };

    public bool CoordinatorPaused => _coordinator is { Alive: true, Paused: true };

    /// <summary>A supervisor restarts processes after a pause.</summary>
    public bool CoordinatorMayStart => Wanted && !CoordinatorAlive && _world.Loop.Now >= _coordinatorMayStart;

    public bool AppMayStart => !AppAlive && CoordinatorAlive && !Waits && _world.Loop.Now >= _appMayStart;

    public string HostedCoordinator => $"{_node.Name}{_suffix}-coordinator";

    public string AppHost => $"{_node.Name}{_suffix}-app";

    /// <summary>How its coordinator's process names itself in lock files.</summary>
    public string ProcessName => $"pid {_node.Name}{_suffix} started {_lives}";

    /// <summary>What its coordinator is; empty if there is none.</summary>
    public string Role => CoordinatorAlive ? Core!.Role.Text() : "";

    /// <summary>It follows the log that another one writes.</summary>
    public bool Follows => Role is "secondary" or "checkpointer";

    /// <summary>Since its process began it has been seen to follow.</summary>
    public bool HasFollowed { get; private set; }

    /// <summary>It followed, and is about to serve.</summary>
    public bool IsBeingPromoted => HasFollowed && Role == "recovering";

    /// <summary>It reads what others have logged, and may not be at the end of that.</summary>
    private bool MayLagBehind => Follows || (_node.HasNumbers && Role == "recovering");

    /// <summary>It has no number, waits for the lease of the one that serves, and does nothing else.</summary>
    public bool Waits => _node is { HasReplicas: true, HasNumbers: false } && Role == "starting" && !Paused;

    /// <summary>It works under a lease that it has lost.</summary>
    public bool CountsOnLostLease => CoordinatorAlive && _node.Service!.IsMissed(ProcessName);

    /// <summary>Others would notice that it stands still: it has a lease that runs out, or has named itself and beaten beside the lock.
    /// Before that, on a full disk, and when it has given the lock back, nobody does.</summary>
    public bool CanBeMissed => _node.Service is not null || (Role != "draining" && Names("lock") && Names("lock.beat"));

    private bool Names(string file) =>
        _node.Disk.Disk.AllFiles().FirstOrDefault(path => path.EndsWith($"/{_node.Name}/{file}", StringComparison.Ordinal)) is { } path
        && System.Text.Encoding.UTF8.GetString(_node.Disk.Disk.ReadAll(path)).StartsWith(ProcessName, StringComparison.Ordinal);

    /// <summary>It stands still, and its lease lapses: others need not wait for what it does when it wakes up.</summary>
    public bool IsLeftBehind => _node.Service is not null && CoordinatorPaused;

    /// <summary>It has the right to append, or is the only one who can.</summary>
    public bool Acts => CoordinatorAlive && Role is not ("starting" or "secondary" or "checkpointer");

    private EndPointName Socket => EndPointName.Pipe($"app-{_node.Name}{_suffix}");

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
            // One limit, and for each destination a chunk that is being filled and one that is being sent (G5).
            _world.Oracle.Require(
                now.OutputMemory <= _world.Settings.MaxBuffered + 2 * LargestChunk * _world.Settings.Instances,
                $"{_node.Name} holds {now.OutputMemory} bytes of output in memory (G5)");
            return now.Role switch
            {
                ReplicaRole.Starting => SimState.Opening,
                ReplicaRole.FirstStart => SimState.FirstStart,
                ReplicaRole.Draining => SimState.Draining,
                _ when !now.AppAttached => now.Role == ReplicaRole.Recovering ? SimState.Recovering : SimState.AppGone,
                _ when !now.AppIsPrimary => SimState.AppRestoring,
                _ when _node.Disk.IsCheckpointing => SimState.Checkpointing,
                _ when _node.Disk.IsRolling => SimState.Rolling,
                _ when now.Spills => SimState.Spilling,
                _ when now.LacksConnection => SimState.Reconnecting,
                _ when now.AppIsBehind => SimState.CatchingUp,
                _ when now.HasOutput => SimState.Sending,
                _ => SimState.Idle,
            };
        }
    }

    /// <summary>It serves, and nothing is on its way.</summary>
    public bool IsIdle => Candidate is null && CoordinatorAlive && AppAlive && !Paused && App!.IsIdle && Core!.IsIdle
        && _node.Disk.PendingOf(_coordinator) == 0;

    /// <summary>It follows, and its app has executed everything up to this record.</summary>
    public bool HasFollowedTo(ulong lsn) =>
        Follows && AppAlive && !Paused && Core!.DurableLsn.Value >= lsn && Core.Activity is { AppAttached: true, AppIsBehind: false };

    /// <summary>The app and its coordinator as they were when the app began, both still there.</summary>
    public bool Survived(AppLife life) => App?.Life == life && AppAlive && life.CoordinatorLife == _coordinator && CoordinatorAlive;

    public void StartCoordinator(bool seeksPlace = false)
    {
        SimSettings settings = _world.Settings;
        var process = new VirtualProcess(_world.Loop, _node.Disk.Disk);
        // After a reboot, or a move to another machine, the clock may be another one.
        _clock = TimeSpan.FromSeconds(_world.Loop.Random.Next(-3600, 3600));
        MoveClock(default);
        process.Time.ClockOffset = _clock;
        _node.Disk.Restart(_coordinator);
        _coordinator = process;
        _lives++;
        _coordinatorMayStart = _world.Loop.Now + s_restartPause;
        _mayFail = false;
        _begunAt = _world.Loop.Now;
        HasFollowed = false;
        _stop = new CancellationTokenSource();
        var log = new LogStoreEnvironment
        {
            Files = process.Files!, Loops = process, Time = process.Time, Entropy = process, Fatal = process, Logger = _logger,
                ProcessName = ProcessName,
            Stores = _node.Service is { } service
            ? [new ServiceStores(service, new ServiceAccess(Wire!, _node.IsAlive, _node.Plan!.IsSameMachine))] : [],
        };
        var options = new CoordinatorOptions
        {
            InstanceName = _node.Name,
            ReplicaId = _node.HasNumbers ? Number : null,
            TakeOver = seeksPlace,
            TakeoverAfter = _world.Replicas.TakeoverAfter,
            Store = _node.Service is null ? "file:/store" : "service:",
            Scratch = _node.Service is null ? "" : $"/scratch{_suffix}",
            LeaseDuration = _node.Service is null ? TimeSpan.FromSeconds(15) : _world.Replicas.LeaseDuration,
            Catalog = "file:/catalog",
            BindingSocket = Socket,
            SegmentSize = settings.SegmentSize,
            PageSize = settings.PageSize,
            CheckpointEvery = settings.CheckpointEvery,
            CheckpointRate = settings.CheckpointRate,
            MaxBuffered = settings.MaxBuffered,
            MaxLag = settings.MaxLag,
            MaxSpill = _world.Drops.IsOn ? settings.MaxSpill : _world.Limits.MaxSpill ?? settings.MaxSpill,
            DropOutputsAfter = _world.Drops.IsOn ? _world.Drops.After : TimeSpan.Zero,
            DroppedOutputs = DroppedLetters.Folder,
            QuarantineAfter = _world.Poison.QuarantineAfter,
            UpgradeWait = s_upgradeWait,
            OnContentDivergence = ContentDivergencePolicy.Stop, // Every app here is deterministic, to the byte.
        };
        options.MaxMessageSize = _world.Limits.MaxMessageSize ?? options.MaxMessageSize;
        options.MaxTurnBytes = _world.Limits.MaxTurnBytes ?? options.MaxTurnBytes;
        _durableBefore = DurableLsn;
        ImmortalCore core = Core = new ImmortalCore(options, new CoreEnvironment
        {
            Log = log,
            Transport = new AppProcessTransport(_world.Network.Node(HostedCoordinator),
                () => new SimAppProcess(_world.Loop, _appProcess!, _world.Poison.KernelTells), () => _newestLife!),
            Catalog = _world.CatalogOf(process),
            Time = process.Time,
            EndProcess = _node.EndProcess,
            Limits = _world.Limits.For(_world.Report) with { Outside = _world.Awakeables.On(_world.Callers.Limits) },
            Random = _world.Loop.Random.NextDouble,
            AwakeableAddress = () => _world.Awakeables.IsOn ? AwakeablePlan.Address + _suffix : null,
            Logger = _logger,
        });
        process.Killed = () =>
        {
            _world.Network.Kill(HostedCoordinator);
            if (process.LastWords is { } words)
            {
                JudgeLastWords(words);
            }
        };
        _ = process.Start(_node.Name, () => ServeAsync(core, process, _stop.Token));
    }

    /// <summary>Starts an app in the place of the one that has gone.</summary>
    /// <param name="versions">What it knows of versions; null: it serves as the one that it finds.</param>
    public void StartApp(WalkerVersions? versions = null)
    {
        _appProcess?.Kill();
        _appMayStart = _world.Loop.Now + s_restartPause;
        _appProcess = new VirtualProcess(_world.Loop, null);
        _converts = versions is { Replaces: true };
        App = Start(_appProcess, AppHost, _world.Upgrades.IsOn && !_node.Scripted ? versions ?? WalkerVersions.AsFound : null);
    }

    /// <summary>Starts an app beside the one that serves, to take its place as another version.</summary>
    public void StartCandidate(WalkerVersions versions)
    {
        _candidateProcess = new VirtualProcess(_world.Loop, null);
        Candidate = Start(_candidateProcess, $"{AppHost}-{++_candidates}", versions);
    }

    /// <summary>The app that was to replace another has done so, or has gone.</summary>
    public void LookAtCandidate()
    {
        if (Candidate is { IsPrimary: true })
        {
            _appProcess?.Kill();
            (App, _appProcess, Candidate, _candidateProcess) = (Candidate, _candidateProcess, null, null);
        }
        else if (Candidate is { Ended: true } || _candidateProcess is { Alive: false })
        {
            (Candidate, _candidateProcess) = (null, null);
        }
    }

    public void KillCandidate() => _candidateProcess?.Kill();

    /// <summary>True once for each step of an upgrade.</summary>
    public bool TakeUpgradeStep()
    {
        bool was = _upgradeStep;
        _upgradeStep = false;
        return was;
    }

    /// <summary>True once for each time that its app died of a message.</summary>
    public bool TakeDeathInMessage()
    {
        bool was = _diedInMessage;
        _diedInMessage = false;
        return was;
    }

    /// <summary>Somebody asks it for a checkpoint, now and not when one is due.</summary>
    public void AskForCheckpoint()
    {
        if (CoordinatorAlive)
        {
            _coordinator!.Post(Core!.RequestCheckpoint);
        }
    }

    private ISimApp Start(VirtualProcess process, string host, WalkerVersions? versions)
    {
        process.Time.ClockOffset = _clock;
        var life = new AppLife(_world.Oracle, _node.Name, _node.HasNumbers
            ? Number : null, _coordinator!, () => MayLagBehind, _world.Limits.MaxTurnBytes ?? long.MaxValue,
            () => DurableLsn);
        _world.Oracle.Begins(life);
        _newestLife = life;
        ITransport transport = _world.Network.Node(host);
        ISimApp app = _node.Scripted
            ? new ScriptedApp(_world.Loop, process, life, transport, Socket, _world.Workload, _world.Poison,
                new ScriptedBuild(_world.Builds, _world.Builds.Next(_node.Name), life, () => Core?.CheckpointsTaken ?? 0))
            : new WalkerApp(process, life, transport, Socket, _world, versions);
        process.Killed = () =>
        {
            if (process.LastWords is null)
            {
                _world.Network.Kill(host);
            }
            else
            {
                app.Vanish(); // What it had handed to the kernel arrives.
                _diedInMessage = true;
                if (Follows)
                {
                    _world.Report.Sometimes(Sighting.AppOfSecondaryDiedInMessage);
                }
            }
        };
        _ = process.Start(_node.Name, app.RunAsync);
        return app;
    }

    public void KillCoordinator() => _coordinator?.Kill();

    public void KillApp() => _appProcess?.Kill();

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

    /// <summary>A call of this process has failed because the schedule wanted it: it may end because of that. False if it is
    /// another's.</summary>
    public bool Struck(VirtualProcess process)
    {
        _mayFail |= process == _coordinator;
        return process == _coordinator;
    }

    public void SendImpulse(string to, ulong id, int depth) => App?.SendImpulse(to, id, depth);

    /// <summary>Remembers what it is seen to be.</summary>
    public void Look() => HasFollowed |= Follows;

    public string Describe() =>
        $"{_node.Name}{_suffix}: {State}, coordinator {(CoordinatorAlive ? "alive" : "dead")}, app "
        + $"{(App is { IsPrimary: true } ? "primary" : "not primary")}{(AppAlive ? "" : ", dead")}{(Paused ? ", paused" : "")} at "
        + $"{App?.Life.DoneLsn}, {Core?.Describe()}";

    private async Task ServeAsync(ImmortalCore core, VirtualProcess process, CancellationToken stop)
    {
        try
        {
            await core.RunAsync(stop);
            if (!stop.IsCancellationRequested && !_node.PlaceIsSought)
            {
                _node.Fail($"the coordinator of {_node.Name}{_suffix} stopped by itself");
            }
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            Judge(error, process);
        }

        process.Kill();
    }

    /// <summary>A device that failed stops its coordinator, damage stops it until somebody repairs it, a replica may find that the log has
    /// gone on without it; nothing else may.</summary>
    private void Judge(Exception error, VirtualProcess process)
    {
        _world.Print?.Invoke($"{_node.Name}{_suffix}: ended with {error.Message}");
        bool damaged = error is LogStoreException { ExitCode: ExitCode.StoreDamaged } or CoordinatorException
            { ExitCode: ExitCode.StoreDamaged };
        if (_node.Service is not null && CodeOf(error) is { } code && IsEndByService(code))
        {
            return;
        }

        if (_node.HasReplicas && error is CoordinatorException { Code: "IC-3007" or "IC-3010" or "IC-3011" or "IC-3014" } behind)
        {
            _world.Report.Sometimes(behind.Code switch { "IC-3007" => Sighting.ReplicaFellBehind, "IC-3010" => Sighting.ReplicaOutdated,
                "IC-3014" => Sighting.ReplicaOfAnotherBuild, _ => Sighting.ReplicaSurvivedQuarantined });
        }
        else if (damaged && !_node.MustSurviveRot && (_node.Repair() || _node.WasRepairedSince(_begunAt)))
        {
            _world.Report.Sometimes(Sighting.RotStoppedCoordinator);
        }
        else if (!_mayFail || error is not (LogStoreException
            { ExitCode: ExitCode.DeviceFailed or ExitCode.StoreNotUsable or ExitCode.LeaseLost } or FileFailedException))
        {
            _node.Fail($"the coordinator of {_node.Name}{_suffix} ended ({process.LastWords}): {error}");
        }
        else
        {
            _world.Report.Sometimes(Sighting.DeviceStoppedCoordinator);
        }
    }

    /// <summary>The log has ended its process: its disk failed, or its lease is gone.</summary>
    private void JudgeLastWords(string words)
    {
        _world.Print?.Invoke($"{_node.Name}{_suffix}: died with {words}");
        if (!_mayFail && !(_node.Service is not null && IsEndByService(words)))
        {
            _node.Fail($"the coordinator of {_node.Name}{_suffix} ended itself: {words}");
        }
    }

    /// <summary>A replica that has lost its lease ends, and so does one that gets no answer from its service for long, or whose number a
    /// late request of a dead one has taken.</summary>
    private bool IsEndByService(string words)
    {
        Sighting? seen = words[..Math.Min(7, words.Length)] switch
        {
            "IC-3001" or "IC-3005" => Sighting.LeaseLost,
            "IC-2035" or "IC-2031" => Sighting.ServiceGivenUp,
            "IC-3006" => Sighting.NumberTaken,
            "IC-2015" => Sighting.CheckpointGoneWhileRead,
            _ => null,
        };
        if (seen is { } sighting)
        {
            _world.Report.Sometimes(sighting);
        }

        return seen is not null;
    }

    private static string? CodeOf(Exception error) => error switch
    {
        LogStoreException known => known.Code,
        CoordinatorException known => known.Code,
        _ => null,
    };
}
