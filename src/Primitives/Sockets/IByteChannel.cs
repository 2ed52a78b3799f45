namespace Ambrosia.Primitives.Sockets;

/// <summary>What a pipe over a socket needs of it. One reader and one writer at a time.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IByteChannel
{
    /// <summary>Receives what is there, at least one byte; 0 at the other side's orderly end.</summary>
    /// <exception cref="IOException">The connection is broken.</exception>
    /// <exception cref="OperationCanceledException">Cancelled; nothing was received.</exception>
    ValueTask<int> ReceiveAsync(Memory<byte> destination, CancellationToken cancellationToken);

    /// <summary>Sends all of both, in as few system calls as they take.</summary>
    /// <exception cref="IOException">The connection is broken.</exception>
    /// <exception cref="OperationCanceledException">Cancelled; how much was sent is unknown.</exception>
    ValueTask SendAsync(ReadOnlyMemory<byte> first, ReadOnlyMemory<byte> second, CancellationToken cancellationToken);
}
