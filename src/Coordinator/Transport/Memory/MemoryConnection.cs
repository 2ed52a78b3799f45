using System.IO.Pipelines;

namespace Ambrosia.Coordinator.Transport.Memory;

/// <summary>One side of a <see cref="MemoryLink"/>.</summary>
internal sealed class MemoryConnection : IConnection
{
    private readonly MemoryLink _link;
    private readonly MemoryWireReader _input;
    private readonly MemoryWireWriter _output;
    private volatile bool _broken;

    public MemoryConnection(MemoryLink link, string peer, MemoryWire input, MemoryWire output)
    {
        _link = link;
        Peer = peer;
        _input = new MemoryWireReader(input, this);
        _output = new MemoryWireWriter(output, this);
    }

    public PipeReader Input => _input;

    public PipeWriter Output => _output;

    public string Peer { get; }

    public bool IsDisposed { get; private set; }

    /// <summary>True when nothing that this side does may be noticed by the other.</summary>
    public bool IsSevered => _link.IsSevered;

    public void Abort() => _link.Aborted(this);

    /// <summary>Lets pending and later reads and flushes of this side fail.</summary>
    public void Break()
    {
        _broken = true;
        // Pipes may be cancelled from any thread, but completed only by their owners: so a break completes nothing.
        _input.CancelPendingRead();
        _output.CancelPendingFlush();
    }

    public void ThrowIfBroken()
    {
        if (_broken)
        {
            throw new ConnectionLostException(Peer);
        }
    }

    public ValueTask DisposeAsync()
    {
        if (!IsDisposed)
        {
            IsDisposed = true;
            _output.Complete();
            _input.Complete();
            _link.Disposed();
        }

        return default;
    }
}
