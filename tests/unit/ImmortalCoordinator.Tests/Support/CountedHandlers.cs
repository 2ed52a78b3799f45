using Ambrosia.Coordinator.Transport;
using Ambrosia.Primitives;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A network that counts the connections which are being served.</summary>
public sealed class CountedHandlers(ITransport inner) : ITransport
{
    private int _open;

    public int Open => Volatile.Read(ref _open);

    public ValueTask<IConnection> ConnectAsync(EndPointName endPoint, CancellationToken cancellationToken) =>
        inner.ConnectAsync(endPoint, cancellationToken);

    public ValueTask<IListener> ListenAsync(
        EndPointName endPoint, Func<IConnection, Task> onConnection, CancellationToken cancellationToken) =>
        inner.ListenAsync(
            endPoint,
            async connection =>
            {
                Interlocked.Increment(ref _open);
                try
                {
                    await onConnection(connection);
                }
                finally
                {
                    Interlocked.Decrement(ref _open);
                }
            },
            cancellationToken);
}
