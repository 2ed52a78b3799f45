using System.Net;
using System.Net.Sockets;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Transport.Tls;
using Ambrosia.Primitives.Sockets;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Transport.Sockets;

/// <summary>The accept loop of one address. It survives whatever a single connection or a shortage does to it.</summary>
internal sealed class SocketListener : IListener
{
    private static readonly TimeSpan s_pauseAfterError = TimeSpan.FromMilliseconds(100);

    private readonly Socket _socket;
    private readonly UnixSocketGuard? _guard;
    private readonly SocketTransportOptions _options;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly PeerTls? _tls;
    private readonly ConnectionHandlers _handlers;
    private readonly CancellationTokenSource _stopping = new();
    private readonly Task _accepting;
    private bool _overloaded;
    private bool _failing;

    public SocketListener(
        Socket socket, EndPointName endPoint, UnixSocketGuard? guard, SocketTransportOptions options, TimeProvider time, ILogger logger,
        Func<IConnection, Task> onConnection, PeerTls? tls)
    {
        _socket = socket;
        _guard = guard;
        _options = options;
        _time = time;
        _logger = logger;
        _tls = tls;
        EndPoint = socket.LocalEndPoint is IPEndPoint bound ? endPoint.WithPort(bound.Port) : endPoint;
        Func<IConnection, Task> serve = tls is null ? onConnection : connection => tls.ServeAsync(connection, EndPoint, onConnection);
        _handlers = new ConnectionHandlers(serve, (connection, error) =>
            CoordinatorLog.ConnectionLost(_logger, connection.Peer, error.Message));
        _accepting = AcceptUntilStoppedAsync();
    }

    public EndPointName EndPoint { get; }

    public Task Completion => _handlers.Completion;

    public async ValueTask DisposeAsync()
    {
        await _stopping.CancelAsync();
        await _accepting;
        _socket.Dispose(); // Unlinks a Unix socket, so the guard must still be held.
        _guard?.Dispose();
        _handlers.Stop();
        _stopping.Dispose();
    }

    private async Task AcceptUntilStoppedAsync()
    {
        while (!_stopping.IsCancellationRequested)
        {
            try
            {
                Take(await _socket.AcceptAsync(_stopping.Token));
                _failing = false;
            }
            catch (OperationCanceledException)
            {
                return;
            }
            catch (SocketException error) when (error.SocketErrorCode is SocketError.ConnectionAborted or SocketError.ConnectionReset)
            {
                // The other side gave up before it was accepted.
            }
            catch (SocketException error)
            {
                await PauseAsync(error);
            }
        }
    }

    // Out of descriptors or memory: accepting again at once would spin, stopping would turn a shortage into an outage.
    private async Task PauseAsync(SocketException error)
    {
        if (!_failing)
        {
            _failing = true;
            CoordinatorLog.AcceptFailed(_logger, EndPoint.ToString(), error.Message);
        }

        try
        {
            await Task.Delay(s_pauseAfterError, _time, _stopping.Token);
        }
        catch (OperationCanceledException)
        {
            // Stopping: the loop's condition ends it.
        }
    }

    private void Take(Socket socket)
    {
        if (_handlers.Open >= _options.MaxConnections)
        {
            socket.Dispose();
            if (!_overloaded)
            {
                _overloaded = true; // One line per episode: a flood of connections must not flood the log as well.
                CoordinatorLog.TooManyConnections(_logger, EndPoint.ToString(), _options.MaxConnections);
            }

            return;
        }

        _overloaded = false;
        try
        {
            SocketFactory.Tune(socket, _options);
            string peer = SocketFactory.PeerOf(socket, EndPoint);
            string? objection = SocketUser.Of(socket)?.Objection(socket, _options.Group);
            _ = _handlers.RunAsync(_tls is null ? new SocketConnection(socket, peer, _options.LargestRead) { UserObjection = objection }
                : PeerTls.Accepted(socket, peer, _options.LargestRead));
        }
        catch (SocketException)
        {
            socket.Dispose(); // Gone before it began.
        }
    }
}
