using System.IO.Pipelines;
using Ambrosia.Coordinator.Transport;

namespace Ambrosia.Simulation.Tests;

/// <summary>A coordinator's network: what connects to its socket is a process of this machine, whose end the kernel knows.</summary>
/// <param name="inner">The network.</param>
/// <param name="newestApp">The process that connects.</param>
/// <param name="newestLife">Its life, which learns what is read of it.</param>
internal sealed class AppProcessTransport(ITransport inner, Func<IAppProcess> newestApp, Func<AppLife> newestLife) : ITransport
{
    public ValueTask<IConnection> ConnectAsync(EndPointName endPoint, CancellationToken cancellationToken) =>
        inner.ConnectAsync(endPoint, cancellationToken);

    public ValueTask<IListener> ListenAsync(EndPointName endPoint, Func<IConnection, Task> onConnection,
        CancellationToken cancellationToken) => inner.ListenAsync(
        endPoint, endPoint.Scheme == EndPointScheme.Pipe ? connection =>
            onConnection(new Local(connection, newestApp(), newestLife())) : onConnection,
        cancellationToken);

    private sealed class Local(IConnection inner, IAppProcess process, AppLife life) : IConnection, IAppProcess
    {
        public PipeReader Input { get; } = new TappedReader(inner.Input, new StreamSplitter(life.ReadByCoordinator), whenConsumed: true);

        public PipeWriter Output => inner.Output;

        public string Peer => inner.Peer;

        public void Abort() => inner.Abort();

        public ValueTask DisposeAsync() => inner.DisposeAsync();

        public ValueTask<AppEnd> EndAsync(TimeProvider time) => process.EndAsync(time);

        public bool Kill() => process.Kill();
    }
}
