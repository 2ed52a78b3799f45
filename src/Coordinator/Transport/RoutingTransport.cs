namespace Ambrosia.Coordinator.Transport;

/// <summary><c>pipe:</c> addresses inside the process, all others over the operating system's sockets.</summary>
public sealed class RoutingTransport(ITransport pipes, ITransport sockets) : ITransport
{
    /// <inheritdoc/>
    public ValueTask<IConnection> ConnectAsync(EndPointName endPoint, CancellationToken cancellationToken) =>
        Of(endPoint).ConnectAsync(endPoint, cancellationToken);

    /// <inheritdoc/>
    public ValueTask<IListener> ListenAsync(EndPointName endPoint, Func<IConnection, Task> onConnection,
        CancellationToken cancellationToken) =>
        Of(endPoint).ListenAsync(endPoint, onConnection, cancellationToken);

    private ITransport Of(EndPointName endPoint) => endPoint.Scheme == EndPointScheme.Pipe ? pipes : sockets;
}
