using Ambrosia.Coordinator.Errors;

namespace Ambrosia.Coordinator.Transport.Memory;

/// <summary>
/// A network inside one process: for coordinators that live in their app's process, and for tests and simulators that break it on purpose.
/// Deterministic: no thread, no clock, no randomness of its own.
/// </summary>
public sealed class MemoryNetwork(MemoryNetworkOptions options)
{
    private readonly object _gate = new();
    private readonly Dictionary<EndPointName, MemoryListener> _listeners = [];
    private readonly HashSet<(string From, string To)> _blocked = [];
    private readonly List<MemoryLink> _links = [];
    private int _nextPort = 49152;

    /// <summary>Connections that neither side has disposed, oldest first.</summary>
    public IReadOnlyList<MemoryLink> Links
    {
        get
        {
            lock (_gate)
            {
                return [.. _links];
            }
        }
    }

    /// <summary>The network as seen by one node; its name stands in links and in <see cref="IConnection.Peer"/>.</summary>
    public ITransport Node(string name) => new MemoryTransport(this, name);

    /// <summary>
    /// From now on connections that <paramref name="from"/> attempts to <paramref name="to"/> are refused; open ones live on.
    /// </summary>
    public void Block(string from, string to)
    {
        lock (_gate)
        {
            _blocked.Add((from, to));
        }
    }

    /// <summary>Takes <see cref="Block"/> back.</summary>
    public void Unblock(string from, string to)
    {
        lock (_gate)
        {
            _blocked.Remove((from, to));
        }
    }

    /// <summary>
    /// What the network sees when a process is killed: its listeners are gone, the other ends of its connections are told.
    /// </summary>
    public void Kill(string node) => End(node, static link => link.Cut());

    /// <summary>What the network sees when a host loses power: its listeners are gone, and nobody is told anything.</summary>
    public void LoseHost(string node) => End(node, static link => link.Sever());

    internal MemoryListener Listen(string node, EndPointName endPoint, Func<IConnection, Task> onConnection)
    {
        lock (_gate)
        {
            EndPointName bound = endPoint.Scheme == EndPointScheme.Tcp && endPoint.Port == 0 ? FreePort(endPoint) : endPoint;
            var listener = new MemoryListener(this, node, bound, onConnection);
            if (!_listeners.TryAdd(bound, listener))
            {
                throw new CoordinatorException(
                    ProcessErrors.CannotListen, "cannot listen: somebody in this process already does", bound.ToString(),
                    "nothing was read or written", "choose another name or port");
            }

            return listener;
        }
    }

    internal IConnection Connect(string from, EndPointName endPoint)
    {
        MemoryListener? listener;
        MemoryLink link;
        lock (_gate)
        {
            if (!_listeners.TryGetValue(endPoint, out listener) || _blocked.Contains((from, listener.Node)))
            {
                throw new ConnectFailedException(endPoint, "nobody listens there");
            }

            link = new MemoryLink(this, options, from, listener.Node, endPoint);
            _links.Add(link);
        }

        listener.Accept(link.Accepting);
        return link.Connecting;
    }

    internal void Forget(MemoryListener listener)
    {
        lock (_gate)
        {
            if (_listeners.TryGetValue(listener.EndPoint, out MemoryListener? current) && current == listener)
            {
                _listeners.Remove(listener.EndPoint);
            }
        }
    }

    internal void Forget(MemoryLink link)
    {
        lock (_gate)
        {
            _links.Remove(link);
        }
    }

    private EndPointName FreePort(EndPointName endPoint)
    {
        EndPointName candidate;
        do
        {
            candidate = endPoint.WithPort(_nextPort++);
        }
        while (_listeners.ContainsKey(candidate));

        return candidate;
    }

    private void End(string node, Action<MemoryLink> end)
    {
        MemoryLink[] links;
        lock (_gate)
        {
            foreach (MemoryListener listener in _listeners.Values.Where(listener => listener.Node == node).ToArray())
            {
                _listeners.Remove(listener.EndPoint);
            }

            links = [.. _links.Where(link => link.From == node || link.To == node)];
        }

        foreach (MemoryLink link in links)
        {
            end(link);
        }
    }
}
