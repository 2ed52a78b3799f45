using Ambrosia.Coordinator.Transport;


namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A network whose listeners are ready only when nobody wants them any more: the wait is cancelled, and ends well all the
/// same.</summary>
public sealed class LateListeners(ITransport inner) : ITransport
{
    private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Completes when one is being made.</summary>
    public Task Begun => _begun.Task;

    /// <summary>How many have been made and not disposed.</summary>
    public int Open { get; private set; }

    public ValueTask<IConnection> ConnectAsync(EndPointName endPoint, CancellationToken cancellationToken) =>
        inner.ConnectAsync(endPoint, cancellationToken);

    public async ValueTask<IListener> ListenAsync(EndPointName endPoint, Func<IConnection, Task> onConnection,
        CancellationToken cancellationToken)
    {
        var cancelled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using CancellationTokenRegistration registration = cancellationToken.Register(cancelled.SetResult);
        _begun.TrySetResult();
        await cancelled.Task;
        IListener listener = await inner.ListenAsync(endPoint, onConnection, CancellationToken.None);
        Open++;
        return new Listener(listener, () => Open--);
    }

    private sealed class Listener(IListener inner, Action disposed) : IListener
    {
        public EndPointName EndPoint => inner.EndPoint;

        public Task Completion => inner.Completion;

        public ValueTask DisposeAsync()
        {
            disposed();
            return inner.DisposeAsync();
        }
    }
}
