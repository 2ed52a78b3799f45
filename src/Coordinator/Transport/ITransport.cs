using Ambrosia.Coordinator.Errors;

namespace Ambrosia.Coordinator.Transport;

/// <summary>
/// Every byte that enters or leaves a coordinator passes through here, so that a simulator can take its place. All continuations run on the
/// SynchronizationContext of the caller: one that keeps its state on a single thread stays there.
/// </summary>
public interface ITransport
{
    /// <summary>Opens a connection.</summary>
    /// <exception cref="IOException">Nobody answers there, or not in time. Trying again later is the caller's choice.</exception>
    /// <exception cref="CoordinatorException">This transport cannot do such an address (IC-1013).</exception>
    ValueTask<IConnection> ConnectAsync(EndPointName endPoint, CancellationToken cancellationToken);

    /// <summary>
    /// Listens from now on. Each connection is handed over on the caller's context and closed when the returned task ends; an
    /// <see cref="IOException"/> or cancellation in it ends that connection only, anything else faults <see cref="IListener.Completion"/>.
    /// </summary>
    /// <exception cref="CoordinatorException">The address cannot be used (IC-1005, IC-1010 to IC-1013).</exception>
    ValueTask<IListener> ListenAsync(EndPointName endPoint, Func<IConnection, Task> onConnection, CancellationToken cancellationToken);
}
