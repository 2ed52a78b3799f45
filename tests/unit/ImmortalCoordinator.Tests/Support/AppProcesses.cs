using System.IO.Pipelines;
using Ambrosia.Coordinator.Transport;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>Gives the connections of a memory network a process behind them whose end the test tells.</summary>
public sealed class AppProcesses
{
    /// <summary>How the next app that is gone has ended.</summary>
    public AppEnd End { get; set; } = new(AppEndCause.Own, "signal 6");

    public int Kills { get; private set; }

    /// <summary>Whether the apps' processes are stopped.</summary>
    public bool AreStopped { get; set; }

    public ITransport Around(ITransport transport) => new Wrapped(this, transport);

    private sealed class Wrapped(AppProcesses processes, ITransport transport) : ITransport
    {
        public ValueTask<IConnection> ConnectAsync(EndPointName endPoint, CancellationToken cancellationToken) =>
            transport.ConnectAsync(endPoint, cancellationToken);

        public ValueTask<IListener> ListenAsync(EndPointName endPoint, Func<IConnection, Task> onConnection,
            CancellationToken cancellationToken) =>
            transport.ListenAsync(endPoint, connection => onConnection(new WithProcess(processes, connection)), cancellationToken);
    }

    private sealed class WithProcess(AppProcesses processes, IConnection connection) : IConnection, IAppProcess
    {
        public string Peer => connection.Peer;

        public PipeReader Input => connection.Input;

        public PipeWriter Output => connection.Output;

        public void Abort() => connection.Abort();

        public ValueTask<AppEnd> EndAsync(TimeProvider time) => new(processes.End);

        public bool IsStopped => processes.AreStopped;

        public bool IsSeen => true;

        public bool Kill()
        {
            processes.Kills++;
            connection.Abort();
            return true;
        }

        public ValueTask DisposeAsync() => connection.DisposeAsync();
    }
}
