using Ambrosia.Coordinator;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Format;
using Ambrosia.Primitives;
using Ambrosia.Testing.Virtual;

namespace Ambrosia.Simulation.Tests;

/// <summary>One instance on a host of its own: a disk, and a coordinator with its app, or several such pairs that are replicas.</summary>
internal sealed class SimNode
{
    private readonly SimWorld _world;
    private readonly SimDisk _disk;
    private readonly SimOperator _operator;
    private readonly List<SimReplica> _replicas = [];
    private readonly List<(string Path, long Offset, byte Rotten, byte Good)> _rots = [];
    private bool _mustSurviveRot;
    private long _repairedAt = -1;

    /// <summary>An instance none of whose processes has been started.</summary>
    /// <param name="world">What all share.</param>
    /// <param name="name">Its name.</param>
    /// <param name="scripted">Whether its apps are scripted.</param>
    /// <param name="replicas">How many replicas it has; zero for a coordinator without a number.</param>
    /// <param name="service">The service that its log is in; null for files.</param>
    public SimNode(SimWorld world, string name, bool scripted, int replicas, ServicePlan? service)
    {
        (_world, Name, Scripted) = (world, name, scripted);
        _operator = new SimOperator(world, name, () => AskForCheckpoints());
        _disk = new SimDisk(world.Loop) { Struck = Struck, State = () => State, Watch = new WriterWatch(world.Oracle, name) };
        HasReplicas = replicas > 0;
        HasNumbers = HasReplicas && service is not { HasNumbers: false };
        Plan = service;
        Service = service is null ? null : new LogService(world.Loop, world.Report, world.Oracle, service.Kind);

        for (int i = 0; i < Math.Max(1, replicas); i++)
        {
            _replicas.Add(new SimReplica(world, this, i));
        }
    }

    public string Name { get; }

    public bool Scripted { get; }

    public SimDisk Disk => _disk;

    public IReadOnlyList<SimReplica> Replicas => _replicas;

    /// <summary>Several coordinators may run, or at least one that has a number.</summary>
    public bool HasReplicas { get; }

    /// <summary>Its replicas have numbers, and follow the log; those of an instance in a service may have none, and wait for each other's
    /// lease instead.</summary>
    public bool HasNumbers { get; }

    /// <summary>Where its log is, if not in files.</summary>
    public LogService? Service { get; }

    /// <summary>What that service is like.</summary>
    public ServicePlan? Plan { get; }

    /// <summary>The replica that has the right to append, as far as one can see; null if none has.</summary>
    public SimReplica? Acting => !HasReplicas ? _replicas[0]
        : _replicas.Find(static replica => replica is { Acts: true, CoordinatorPaused: false })
        ?? _replicas.Find(static replica => replica.Acts);

    public ImmortalCore? Core => (Acting ?? _replicas[0]).Core;

    /// <summary>Some coordinator lives.</summary>
    public bool CoordinatorAlive => _replicas.Exists(static replica => replica.CoordinatorAlive);

    public bool Paused => _replicas.Exists(static replica => replica.Paused);

    /// <summary>Some replica was started to replace the one that serves, which may therefore end.</summary>
    public bool PlaceIsSought { get; private set; }

    /// <summary>One acts, nothing is on its way, and all others that run have followed.</summary>
    public bool IsIdle => Acting is { IsIdle: true } acting && !_operator.IsBusyWith(acting.Core) && SharesOutLocks
        && _replicas.TrueForAll(replica => replica == acting || !replica.Wanted || replica.Waits || replica.IsLeftBehind
            || replica.HasFollowedTo(_world.Oracle.LastMessageOf(Name)));

    /// <summary>Nobody works under a lease that was lost, and of those who follow a log in a service one makes the checkpoints.</summary>
    private bool SharesOutLocks => Service is null
        || (!_replicas.Exists(replica => !replica.IsLeftBehind && replica.CountsOnLostLease) && (
            !_replicas.Exists(static replica => replica.Follows) || _replicas.Exists(static replica => replica.Role == "checkpointer")));

    /// <summary>Its app was refused because of a message that has ended it too often.</summary>
    public bool OnHold => Acting?.App is { Refusal: "IC-1036" };

    /// <summary>Exceptions and ends that the schedule did not ask for.</summary>
    public string? Trouble => _trouble ?? _replicas.Select(static replica => replica.App?.Trouble ?? replica.Candidate?.Trouble)
        .FirstOrDefault(static trouble => trouble is not null);

    private string? _trouble;

    /// <summary>What the replica that serves is doing now.</summary>
    public SimState State =>
        Acting is { CoordinatorAlive: true } acting ? acting.State : CoordinatorAlive ? SimState.Opening : SimState.Down;

    /// <summary>Somebody's app and coordinator as they were when the app began, both still there.</summary>
    public bool Survived(AppLife life) => _replicas.Exists(replica => replica.Survived(life));

    /// <summary>Whether a coordinator's process of this name lives.</summary>
    public bool IsAlive(string process) => _replicas.Exists(replica => replica.CoordinatorAlive && replica.ProcessName == process);

    public bool HasHost(string host) => _replicas.Exists(replica => replica.HostedCoordinator == host);

    /// <summary>Any of them.</summary>
    public SimReplica Pick(Random random) => _replicas[random.Next(_replicas.Count)];

    /// <summary>A replica to be hit: half of the time the one that acts.</summary>
    public SimReplica Pick() => _replicas.Count == 1 ? _replicas[0]
        : _world.Replicas.Random.Next(2) == 0 && Acting is { } acting ? acting : _replicas[_world.Replicas.Random.Next(_replicas.Count)];

    public void Start() => _replicas.ForEach(static replica =>
    {
        replica.StartCoordinator();
        replica.StartApp();
    });

    public void KillCoordinator() => _replicas.ForEach(static replica => replica.KillCoordinator());

    public void KillApp() => _replicas.ForEach(static replica =>
    {
        replica.KillApp();
        replica.KillCandidate();
    });

    /// <summary>Asks the replica that serves to end in order.</summary>
    public void Stop() => Acting?.Stop();

    public void Resume() => _replicas.ForEach(static replica => replica.Resume());

    public void MoveClock(TimeSpan by) => _replicas.ForEach(replica => replica.MoveClock(by));

    /// <summary>Starts a replica that asks the one that serves to hand over.</summary>
    public void SeekPlace(SimReplica replica)
    {
        PlaceIsSought = true;
        replica.KillCoordinator();
        replica.Wanted = true;
        replica.StartCoordinator(seeksPlace: true);
    }

    /// <summary>SIGKILL for the coordinator's process of this name; false if it is dead already.</summary>
    public bool EndProcess(string holder)
    {
        SimReplica? found = _replicas.Find(replica => replica.CoordinatorAlive && replica.ProcessName == holder);
        found?.KillCoordinator();
        return found is not null;
    }

    /// <summary>The machine is off: all processes are gone, and of what was not synced a part.</summary>
    public void CutPower(bool silently)
    {
        if (silently)
        {
            // First: a process that is told of a connection's end knows that the host is gone.
            _replicas.ForEach(replica => _world.Network.LoseHost(replica.HostedCoordinator));
        }

        KillCoordinator();
        KillApp();
        if (_disk.Disk.HasUnsyncedNames)
        {
            _world.Report.Sometimes(Sighting.UnsyncedNamesLost);
        }

        _disk.Disk.Crash(_world.Loop.Random);
    }

    /// <summary>
    /// Whether the newest checkpoint may rot without stopping the instance: either nothing is rotten and there is another one, or all
    /// that is rotten are checkpoints, and a life that began since then has taken
    /// a newer one.
    /// </summary>
    public bool CanLoseNewestCheckpoint
    {
        get
        {
            string[] checkpoints = Checkpoints();
            return Service is null && checkpoints.Length > 1 && (_rots.Count == 0
                || (_mustSurviveRot && _rots.TrueForAll(rot => string.CompareOrdinal(rot.Path, checkpoints[^1]) < 0)));
        }
    }

    /// <summary>All that is rotten are checkpoints that another one can stand in for.</summary>
    public bool MustSurviveRot => _mustSurviveRot && _rots.Count > 0;

    /// <summary>Turns a bit of the newest checkpoint; all processes are dead.</summary>
    public void RotNewestCheckpoint(Random random)
    {
        string path = Checkpoints()[^1];
        if (_rots.Count > 0)
        {
            _world.Report.Sometimes(Sighting.CheckpointsRottedInTurn);
        }

        _world.Print?.Invoke($"{Name}: --- {path} rots");
        _mustSurviveRot = true;
        Rot(path, random.Next(_disk.Disk.ReadAll(path).Length), (byte)(1 << random.Next(8)));
    }

    private string[] Checkpoints() => [.. _disk.Disk.AllFiles().Where(static path => path.EndsWith(".ckpt", StringComparison.Ordinal))];

    /// <summary>Turns some bits of a file at rest. Once in a life: two copies of everything are kept, not three.</summary>
    public bool Rot()
    {
        string[] files = [.. _disk.Disk.AllFiles().Where(static path => path.EndsWith(".seg", StringComparison.Ordinal)
            || path.EndsWith(".ckpt", StringComparison.Ordinal) || path.Contains("/manifest.", StringComparison.Ordinal))];
        if (_rots.Count > 0 || files.Length == 0)
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

        _mustSurviveRot = false;
        Rot(path, offset, (byte)(1 << _world.Loop.Random.Next(8)));
        return true;
    }

    private void Rot(string path, long offset, byte mask)
    {
        byte good = _disk.Disk.ReadAll(path)[offset];
        _disk.Disk.FlipBits(path, offset, mask);
        _rots.Add((path, offset, (byte)(good ^ mask), good));
    }

    /// <summary>Whether damage that a process of this age has met was repaired meanwhile: two replicas may meet it at once.</summary>
    public bool WasRepairedSince(long begun) => _repairedAt >= begun;

    /// <summary>The operator restores a rotten file from a copy; false if none is.</summary>
    public bool Repair()
    {
        if (_rots.Count == 0)
        {
            return false;
        }

        foreach ((string path, long offset, byte rotten, byte good) in _rots)
        {
            if (_disk.Disk.AllFiles().Contains(path) && _disk.Disk.ReadAll(path) is { } content && offset < content.Length
                && content[offset] == rotten)
            {
                _disk.Disk.FlipBits(path, offset, (byte)(rotten ^ good));
            }
        }

        _rots.Clear();
        _repairedAt = _world.Loop.Now;
        return true;
    }

    /// <summary>Its operator decides about messages that end its app.</summary>
    public void AskOperator(bool finish)
    {
        if (Acting is { CoordinatorAlive: true } acting)
        {
            _operator.Act(acting.Core!, OnHold, finish);
        }
    }

    /// <summary>Its operator decides about effects that are held; before all is healed also about others.</summary>
    public void AskAboutEffects(bool finish)
    {
        if (Acting is { CoordinatorAlive: true } acting)
        {
            _operator.LookAtEffects(acting.Core!, finish);
        }
    }

    /// <summary>Those who follow are asked for checkpoints.</summary>
    public void AskForCheckpoints()
    {
        foreach (SimReplica replica in _replicas.Where(static replica => replica.Follows))
        {
            replica.AskForCheckpoint();
        }
    }

    /// <summary>Compares the dead letters that it keeps with what is known.</summary>
    public void CompareLetters() => _operator.Compare(Core!);

    /// <summary>An impulse from the outside world, for whose app says that it acts.</summary>
    public void SendImpulse(string to, ulong id, int depth) =>
        (_replicas.Find(static replica => replica.App is { IsPrimary: true }) ?? _replicas[0]).SendImpulse(to, id, depth);

    /// <summary>Something happened that the schedule did not ask for.</summary>
    public void Fail(string trouble) => _trouble ??= trouble;

    public string Describe() => string.Join('\n', _replicas.Select(static replica => replica.Describe()));

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

    private void Struck(SimFault fault, VirtualProcess process)
    {
        _replicas.Exists(replica => replica.Struck(process));
        _world.Count(fault, this);
    }
}
