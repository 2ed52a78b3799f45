using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Ambrosia.ImmortalCoordinator.Transport.Tls;
using Ambrosia.Shared.Loops;
using Microsoft.Extensions.Logging;

namespace Ambrosia.ImmortalCoordinator.Transport.Sockets;

/// <summary>TCP and Unix domain sockets of the operating system; encrypted, with names proven on both sides, if there is a <see cref="PeerTls"/>.</summary>
public sealed class SocketTransport(SocketTransportOptions options, TimeProvider time, ILogger logger, PeerTls? tls = null) : ITransport
{
    /// <inheritdoc/>
    public async ValueTask<IConnection> ConnectAsync(EndPointName endPoint, CancellationToken cancellationToken)
    {
        Socket socket = SocketFactory.Create(endPoint, options);
        LoopWatch? watch = null;
        using var timeout = new CancellationTokenSource(options.ConnectTimeout, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(timeout.Token, cancellationToken);
        try
        {
            watch = tls is not null || KnownAddress(endPoint) is null ? null : LoopPoller.Current?.TryWatch(socket.SafeHandle);
            await ConnectSocketAsync(socket, endPoint, watch, either.Token);
            string peer = SocketFactory.PeerOf(socket, endPoint);
            return tls is null
                ? new SocketConnection(socket, peer, options.LargestRead, watch)
                : await tls.DialledAsync(socket, peer, options.LargestRead, either.Token);
        }
        catch (OperationCanceledException error) when (!cancellationToken.IsCancellationRequested)
        {
            GiveUp(socket, watch);
            throw new ConnectFailedException(endPoint, string.Create(CultureInfo.InvariantCulture, $"no answer within {options.ConnectTimeout.TotalSeconds} s"), error);
        }
        catch (SocketException error)
        {
            GiveUp(socket, watch);
            throw new ConnectFailedException(endPoint, error.Message, error);
        }
        catch (Exception)
        {
            GiveUp(socket, watch);
            throw;
        }
    }

    /// <inheritdoc/>
    public async ValueTask<IListener> ListenAsync(EndPointName endPoint, Func<IConnection, Task> onConnection, CancellationToken cancellationToken)
    {
        UnixSocketGuard? guard = endPoint.Scheme == EndPointScheme.Unix ? await UnixSocketGuard.TakeAsync(endPoint.Host, time, cancellationToken) : null;
        Socket? socket = null;
        try
        {
            socket = await BindAsync(endPoint, cancellationToken);
            socket.Listen(options.Backlog);
            return new SocketListener(socket, endPoint, guard, options, time, logger, onConnection, tls);
        }
        catch (Exception error)
        {
            socket?.Dispose();
            guard?.Dispose();
            if (error is SocketException reason)
            {
                throw CannotListen(endPoint, reason);
            }

            throw;
        }
    }

    private static ValueTask ConnectSocketAsync(Socket socket, EndPointName endPoint, LoopWatch? watch, CancellationToken cancellationToken) => KnownAddress(endPoint) switch
    {
        { } address when watch is not null => PolledConnect.ConnectAsync(socket, address, watch, cancellationToken),
        { } address => socket.ConnectAsync(address, cancellationToken),
        null => socket.ConnectAsync(endPoint.Host, endPoint.Port, cancellationToken),
    };

    private static void GiveUp(Socket socket, LoopWatch? watch)
    {
        watch?.Dispose();
        socket.Dispose();
    }

    // Null: a name, to be looked up.
    private static EndPoint? KnownAddress(EndPointName endPoint) =>
        endPoint.Scheme == EndPointScheme.Unix ? new UnixDomainSocketEndPoint(endPoint.Host)
        : IPAddress.TryParse(endPoint.Host, out IPAddress? address) ? new IPEndPoint(address, endPoint.Port)
        : null;

    private async ValueTask<Socket> BindAsync(EndPointName endPoint, CancellationToken cancellationToken)
    {
        if (endPoint.Scheme == EndPointScheme.Tcp && !IPAddress.TryParse(endPoint.Host, out _))
        {
            IPAddress[] addresses = await Dns.GetHostAddressesAsync(endPoint.Host, cancellationToken);
            endPoint = EndPointName.Tcp(addresses[0].ToString(), endPoint.Port);
        }

        Socket socket = SocketFactory.Create(endPoint, options);
        try
        {
            if (endPoint.Scheme == EndPointScheme.Unix && !OperatingSystem.IsWindows())
            {
                UnixSocketGuard.BindPrivately(socket, endPoint.Host);
            }
            else
            {
                socket.Bind(new IPEndPoint(IPAddress.Parse(endPoint.Host), endPoint.Port));
            }

            return socket;
        }
        catch (SocketException)
        {
            socket.Dispose();
            throw;
        }
    }

    private static CoordinatorException CannotListen(EndPointName endPoint, SocketException error) => new(
        "IC-1012",
        ExitCode.AddressUnavailable,
        $"cannot listen: {error.Message}",
        endPoint.ToString(),
        "nothing was read or written",
        error.SocketErrorCode == SocketError.AddressAlreadyInUse ? "choose another port, or port 0 for any free one" : "choose an address of this machine that this user may use",
        error);
}
