using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Sockets;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>The sockets that the product uses, as it uses them, with a free port of this machine for whatever address is listened
/// on.</summary>
public sealed class LoopbackTcp : ITransport
{
    private readonly SocketTransport _sockets = new(new SocketTransportOptions(), TimeProvider.System, NullLogger.Instance);
    private readonly TaskCompletionSource<EndPointName> _address = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Where it listens, as soon as it does.</summary>
    public Task<EndPointName> Address => _address.Task.OrFail();

    /// <inheritdoc/>
    public ValueTask<IConnection> ConnectAsync(EndPointName endPoint, CancellationToken cancellationToken) =>
        _sockets.ConnectAsync(endPoint, cancellationToken);

    /// <inheritdoc/>
    public async ValueTask<IListener> ListenAsync(EndPointName endPoint, Func<IConnection, Task> onConnection,
        CancellationToken cancellationToken)
    {
        IListener listener = await _sockets.ListenAsync(EndPointName.Tcp("127.0.0.1", 0), onConnection, cancellationToken);
        _address.TrySetResult(listener.EndPoint);
        return listener;
    }
}
