namespace Ambrosia.Coordinator.Transport.Memory;

/// <summary>One node's view of a <see cref="MemoryNetwork"/>.</summary>
internal sealed class MemoryTransport(MemoryNetwork network, string node) : ITransport
{
    public ValueTask<IConnection> ConnectAsync(EndPointName endPoint, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        return new(network.Connect(node, endPoint));
    }

    public ValueTask<IListener> ListenAsync(EndPointName endPoint, Func<IConnection, Task> onConnection,
        CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        return new(network.Listen(node, endPoint, onConnection));
    }
}
