namespace Ambrosia.Coordinator.Transport;

/// <summary>
/// Does not dial other machines: without certificates messages would go there readable and changeable by anybody on the way.
/// </summary>
public sealed class LocalOnlyTransport(ITransport transport) : ITransport
{
    /// <inheritdoc/>
    public ValueTask<IConnection> ConnectAsync(EndPointName endPoint, CancellationToken cancellationToken) => endPoint.IsLocal
        ? transport.ConnectAsync(endPoint, cancellationToken)
        : throw new ConnectFailedException(
            endPoint, $"{PeerErrors.NoCertificates} it is on another machine, and nothing encrypts the way there; give --peer-cert-file, "
            + $"--peer-key-file and --peer-trusted-ca-file, or --allow-plaintext-peers on a network that you trust");

    /// <inheritdoc/>
    public ValueTask<IListener> ListenAsync(EndPointName endPoint, Func<IConnection, Task> onConnection,
        CancellationToken cancellationToken) =>
        transport.ListenAsync(endPoint, onConnection, cancellationToken);
}
