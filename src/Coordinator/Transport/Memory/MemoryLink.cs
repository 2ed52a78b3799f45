using System.Diagnostics.CodeAnalysis;

namespace Ambrosia.Coordinator.Transport.Memory;

/// <summary>One connection of a <see cref="MemoryNetwork"/>, with the ways in which a real one fails.</summary>
[SuppressMessage("Design", "CA1001", Justification = "Each side belongs to, and is disposed by, the code that connected or accepted.")]
public sealed class MemoryLink
{
    private readonly MemoryNetwork _network;
    private readonly MemoryConnection _connecting;
    private readonly MemoryConnection _accepting;
    private volatile bool _severed;

    internal MemoryLink(MemoryNetwork network, MemoryNetworkOptions options, string from, string to, EndPointName endPoint)
    {
        _network = network;
        From = from;
        To = to;
        EndPoint = endPoint;
        Forward = new MemoryWire(options);
        Backward = new MemoryWire(options);
        _connecting = new MemoryConnection(this, to, input: Backward, output: Forward);
        _accepting = new MemoryConnection(this, from, input: Forward, output: Backward);
    }

    /// <summary>The node that connected.</summary>
    public string From { get; }

    /// <summary>The node that listens.</summary>
    public string To { get; }

    /// <summary>The address that was called.</summary>
    public EndPointName EndPoint { get; }

    internal bool IsSevered => _severed;

    internal IConnection Connecting => _connecting;

    internal IConnection Accepting => _accepting;

    internal MemoryWire Forward { get; }

    internal MemoryWire Backward { get; }

    /// <summary>Breaks it as a reset does: both sides are told, what was under way is lost.</summary>
    public void Cut()
    {
        _connecting.Break();
        _accepting.Break();
    }

    /// <summary>
    /// Nothing arrives any more, either way or one way only, but nothing is lost either: senders wait when the buffers are full.
    /// </summary>
    public void Stall(bool forward = true, bool backward = true)
    {
        Forward.SetStalled(Forward.IsStalled || forward);
        Backward.SetStalled(Backward.IsStalled || backward);
    }

    /// <summary>Ends <see cref="Stall"/>: what waited arrives.</summary>
    public void Resume()
    {
        Forward.SetStalled(false);
        Backward.SetStalled(false);
    }

    /// <summary>Half-open for good: nothing arrives, and neither side ever hears of the other's abort or end.</summary>
    public void Sever()
    {
        _severed = true;
        Stall();
    }

    internal void Aborted(MemoryConnection by)
    {
        by.Break();
        if (!_severed)
        {
            (by == _connecting ? _accepting : _connecting).Break();
        }
    }

    internal void Disposed()
    {
        if (_connecting.IsDisposed && _accepting.IsDisposed)
        {
            _network.Forget(this);
        }
    }
}
