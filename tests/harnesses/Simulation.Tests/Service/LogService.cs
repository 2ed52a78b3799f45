using Ambrosia.Testing.Virtual;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// A service that keeps one instance's log: leases for a time by its own clock, of the log and of locks beside it, and files that only
/// the holder of a lease may change. What it has accepted is durable. It is no process of the cluster: no fault ends it.
/// </summary>
internal sealed class LogService(VirtualLoop loop, SimReport report, SimOracle oracle, ServiceKind kind)
{
    /// <summary>The lock that is the right to append.</summary>
    public const string Log = "";

    private readonly Dictionary<string, ServiceLock> _locks = [];
    private readonly List<ServiceLease> _granted = [];
    private readonly List<ServiceFile> _files = [];
    private readonly (byte[]? Content, long Token)[] _manifests = new (byte[]?, long)[2];

    public ServiceKind Kind => kind;

    /// <summary>A process that asks learns what stands there at this moment.</summary>
    public (bool IsHeld, string Holder, TimeSpan Left, long Token) Look(string name)
    {
        ServiceLock seen = Find(name);
        return (seen.IsHeld(loop.Now), seen.Holder, seen.Left(loop.Now), seen.Token);
    }

    /// <summary>Takes a lock as it was seen, free or its holder dead. Asked again under the same mark, because an answer was lost, it is
    /// the same acquisition.</summary>
    /// <returns>The token; null if another has it.</returns>
    public long? Take(string name, long seen, bool holderIsDead, string mark, string holder, TimeSpan duration)
    {
        ServiceLock taken = Find(name);
        if (taken.Mark == mark)
        {
            return taken.Token;
        }

        // A database asks for the token only, which a renewal does not change: who renews that late does not count on it any more.
        bool isFree = kind == ServiceKind.Database ? taken.Token == seen : !taken.IsHeld(loop.Now) || (holderIsDead && taken.Token == seen);
        if (!isFree)
        {
            return null;
        }

        if (taken.HasLapsed(loop.Now))
        {
            report.Sometimes(Sighting.LeaseLapsed);
        }

        RequireNobodyCountsOnIt(name);
        taken.Take(mark, holder, loop.Now + duration.Ticks);
        if (kind == ServiceKind.Database)
        {
            _files.FindAll(file => GuardOf(file) == name).ForEach(file => file.Token = taken.Token);
        }

        return taken.Token;
    }

    /// <summary>A process was told that it has a lock.</summary>
    public void Granted(ServiceLease lease)
    {
        _granted.RemoveAll(static granted => !granted.IsCountedOn && !granted.IsMissed);
        _granted.Add(lease);
        if (lease.Name != Log)
        {
            lease.Lost.Register(() => report.Sometimes(Sighting.NamedLeaseLost));
        }
    }

    /// <summary>Whether a process works under a lease that it has lost.</summary>
    public bool IsMissed(string process) => _granted.Exists(lease => lease.Holder == process && lease.IsMissed);

    public bool Renew(string name, long token, TimeSpan duration) => Find(name).Renew(token, loop.Now + duration.Ticks);

    public void Release(string name, long token) => Find(name).Release(token, loop.Now, isBesideLog: name != Log);

    public ServiceFile? Find(ServiceFileKind kind, ulong number, string? owner = null) =>
        _files.FindLast(file => file.Kind == kind && file.Number == number && (owner is null || file.Owner == owner));

    /// <summary>All of a kind.</summary>
    public ServiceFile[] List(ServiceFileKind kind) => [.. _files.Where(file => file.Kind == kind)];

    /// <summary>Makes a file that begins so, if there is none and its maker has the lock.</summary>
    /// <returns>The file, also one that an earlier attempt has made; null if another has the lock, or has made it.</returns>
    public ServiceFile? Create(string name, long token, ServiceFileKind kind, ulong number, ReadOnlyMemory<byte> beginning)
    {
        string owner = kind == ServiceFileKind.UnfinishedCheckpoint ? name : "";
        if (Find(name).Token == token && Find(kind, number, owner) is null)
        {
            Make(kind, number, owner, token).Put(beginning);
        }

        return Find(kind, number, owner) is { } made && made.Token == token && made.Length == beginning.Length && made.Begins(beginning)
            ? made : null;
    }

    /// <summary>Makes a file, whatever locks are held; null if there is one of this name.</summary>
    public ServiceFile? TryMake(ServiceFileKind kind, ulong number, string owner, ReadOnlyMemory<byte> content)
    {
        if (Find(kind, number, owner) is not null)
        {
            return null;
        }

        ServiceFile made = Make(kind, number, owner, 0);
        made.Put(content);
        return made;
    }

    /// <summary>Removes what this acquisition may change.</summary>
    public void Delete(long token, Func<ServiceFile, bool> which) => Remove(file => file.Token == token && which(file));

    /// <summary>Removes it, whatever locks are held.</summary>
    public void Remove(Predicate<ServiceFile> which)
    {
        _files.FindAll(which).ForEach(static file => file.IsGone = true);
        _files.RemoveAll(static file => file.IsGone);
    }

    /// <summary>Names a checkpoint that was begun under a lock, if that is held and so is the other one.</summary>
    public bool Commit(string name, long token, string also, long alsoToken, ulong number)
    {
        bool isHeld = Find(name).Token == token && Find(also).Token == alsoToken;
        if (isHeld && Find(ServiceFileKind.UnfinishedCheckpoint, number, name) is { } file && file.Token == token)
        {
            Remove(older => older.Kind == ServiceFileKind.Checkpoint && older.Number == number);
            (file.Kind, file.Owner, file.Token) = (ServiceFileKind.Checkpoint, "", Find(Log).Token);
        }

        return isHeld && Find(ServiceFileKind.Checkpoint, number) is not null
            && Find(ServiceFileKind.UnfinishedCheckpoint, number, name) is null;
    }

    public byte[]? ReadManifest(int copy) => _manifests[copy].Content;

    public bool WriteManifest(long token, int copy, byte[] content)
    {
        bool can = kind == ServiceKind.Database ? Find(Log).Token == token : _manifests[copy].Token == token;
        _manifests[copy] = can ? (content, token) : _manifests[copy];
        return can;
    }

    /// <summary>From now on a copy is written under this acquisition only.</summary>
    public void TakeManifest(int copy, long token) => _manifests[copy].Token = token;

    private ServiceFile Make(ServiceFileKind kind, ulong number, string owner, long token)
    {
        var made = new ServiceFile(kind, number, owner, token);
        _files.Add(made);
        return made;
    }

    private ServiceLock Find(string name)
    {
        if (!_locks.TryGetValue(name, out ServiceLock? found))
        {
            _locks[name] = found = new ServiceLock();
        }

        return found;
    }

    // Each lease is given up by its holder before the service gives it to somebody else; the dead hold none (docs/operate/replicas.md).
    private void RequireNobodyCountsOnIt(string name)
    {
        ServiceLease? still = _granted.Find(granted => granted.Name == name && granted.IsCountedOn);
        oracle.Require(still is null, $"{name}: another gets the lease that {still?.Holder} still counts on");
    }

    private static string GuardOf(ServiceFile file) => file.Kind == ServiceFileKind.UnfinishedCheckpoint ? file.Owner : Log;
}
