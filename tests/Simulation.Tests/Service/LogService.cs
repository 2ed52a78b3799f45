using Ambrosia.Testing.Virtual;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// A service that keeps one instance's log, as a database does: a lease for a time by its own clock, and files that only whoever has the lease may change, each append only where the file ends.
/// What it has accepted is durable. It is no process of the cluster: no fault ends it.
/// </summary>
internal sealed class LogService(VirtualLoop loop, SimReport report)
{
    private readonly SortedDictionary<(ServiceFileKind Kind, ulong Number), ServiceFile> _files = [];
    private readonly byte[]?[] _manifests = new byte[]?[2];
    private string _owner = "";
    private long _expires = long.MinValue;
    private long _released = long.MinValue;

    /// <summary>Grows with each acquisition of the lease: what asks under an older one is refused.</summary>
    public long Token { get; private set; }

    /// <summary>Who had the lease last.</summary>
    public string Holder { get; private set; } = "";

    public bool IsHeld => _expires > loop.Now;

    /// <summary>The time that the lease runs at most.</summary>
    public TimeSpan Left => TimeSpan.FromTicks(Math.Max(0, _expires - loop.Now));

    /// <summary>Takes the lease if nobody has it. Asked again under the same mark, because an answer was lost, it is the same acquisition.</summary>
    /// <returns>The token; null if another has it.</returns>
    public long? Take(string mark, string holder, TimeSpan duration)
    {
        if (_owner == mark && IsHeld)
        {
            return Token;
        }

        if (IsHeld)
        {
            return null;
        }

        if (_expires < loop.Now && _expires != _released)
        {
            report.Sometimes(Sighting.LeaseLapsed);
        }

        (_owner, Holder, _expires) = (mark, holder, loop.Now + duration.Ticks);
        return ++Token;
    }

    public bool Renew(long token, TimeSpan duration)
    {
        // Also when it has lapsed, as long as nobody else has taken it.
        if (token == Token)
        {
            _expires = loop.Now + duration.Ticks;
        }

        return token == Token;
    }

    public void Release(long token)
    {
        if (token == Token)
        {
            _released = _expires = loop.Now;
        }
    }

    public ServiceFile? Find(ServiceFileKind kind, ulong number) => _files.GetValueOrDefault((kind, number));

    public ulong[] List(ServiceFileKind kind) => [.. _files.Keys.Where(key => key.Kind == kind).Select(static key => key.Number)];

    /// <summary>Makes a file that begins so; false if another has the lease, or has made it.</summary>
    public bool Create(long token, ServiceFileKind kind, ulong number, ReadOnlyMemory<byte> beginning)
    {
        if (token == Token && Find(kind, number) is null)
        {
            var file = new ServiceFile(this);
            file.Append(token, beginning, 0);
            _files.Add((kind, number), file);
        }

        return token == Token && Find(kind, number) is { } made && made.Begins(beginning);
    }

    /// <summary>Gives a file another kind, in place of what had that; false if another has the lease.</summary>
    public bool Rename(long token, ServiceFileKind from, ServiceFileKind to, ulong number)
    {
        if (token == Token && _files.Remove((from, number), out ServiceFile? file))
        {
            _files[(to, number)] = file;
        }

        return token == Token && Find(to, number) is not null;
    }

    public bool Delete(long token, ServiceFileKind kind, ulong number)
    {
        if (token == Token)
        {
            _files.Remove((kind, number));
        }

        return token == Token;
    }

    public byte[]? ReadManifest(int copy) => _manifests[copy];

    public bool WriteManifest(long token, int copy, byte[] content)
    {
        _manifests[copy] = token == Token ? content : _manifests[copy];
        return token == Token;
    }
}
