using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Transport.Tls;
using Ambrosia.LogStore.Files;
using Ambrosia.Primitives.Loops;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Transport.Sockets;

/// <summary>
/// TCP and Unix domain sockets of the operating system; encrypted, with names proven on both sides, if there is a <see cref="PeerTls"/>.
/// Names of hosts are looked up by
/// <paramref name="resolve"/>, the system's resolver unless given.
/// </summary>
public sealed class SocketTransport(
    SocketTransportOptions options, TimeProvider time, ILogger logger, PeerTls? tls = null,
    Func<string, CancellationToken, Task<IPAddress[]>>? resolve = null) : ITransport
{
    private readonly Func<string, CancellationToken, Task<IPAddress[]>> _resolve = resolve ?? Dns.GetHostAddressesAsync;

    /// <inheritdoc/>
    public async ValueTask<IConnection> ConnectAsync(EndPointName endPoint, CancellationToken cancellationToken)
    {
        using var timeout = new CancellationTokenSource(options.ConnectTimeout, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(timeout.Token, cancellationToken);
        try
        {
            return await ConnectToOneOfAsync(await AddressesOfAsync(endPoint, either.Token), either.Token);
        }
        catch (OperationCanceledException error) when (!cancellationToken.IsCancellationRequested)
        {
            throw new ConnectFailedException(endPoint,
                string.Create(CultureInfo.InvariantCulture, $"no answer within {options.ConnectTimeout.TotalSeconds} s"), error);
        }
        catch (SocketException error)
        {
            throw new ConnectFailedException(endPoint, error.Message, error);
        }
    }

    /// <inheritdoc/>
    public async ValueTask<IListener> ListenAsync(EndPointName endPoint, Func<IConnection, Task> onConnection,
        CancellationToken cancellationToken)
    {
        UnixSocketGuard? guard = endPoint.Scheme == EndPointScheme.Unix
            ? await UnixSocketGuard.TakeAsync(endPoint.Host, options.Group, time, cancellationToken) : null;
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

    // A name may stand for several addresses. Each gets a socket of its own: the runtime's sockets cannot be used again once an attempt
    // has failed, and those that were tuned as ours are cannot be connected by name at all before .NET 9.
    private async ValueTask<IConnection> ConnectToOneOfAsync(IReadOnlyList<EndPointName> addresses, CancellationToken cancellationToken)
    {
        for (int i = 0; i < addresses.Count - 1; i++)
        {
            try
            {
                return await ConnectToAsync(addresses[i], cancellationToken);
            }
            catch (SocketException)
            {
                // The next one, then.
            }
        }

        return await ConnectToAsync(addresses[^1], cancellationToken);
    }

    private async ValueTask<IConnection> ConnectToAsync(EndPointName address, CancellationToken cancellationToken)
    {
        Socket socket = SocketFactory.Create(address, options);
        LoopWatch? watch = null;
        try
        {
            EndPoint known = address.Scheme == EndPointScheme.Unix ? new UnixDomainSocketEndPoint(address.Host)
                : new IPEndPoint(IPAddress.Parse(address.Host), address.Port);
            watch = LoopPoller.Current?.TryWatch(socket.SafeHandle);
            await (watch is not null && Platform.UsesLinuxCalls
                ? PolledConnect.ConnectAsync(socket, known, watch, cancellationToken)
                : socket.ConnectAsync(known, cancellationToken));
            string peer = SocketFactory.PeerOf(socket, address);
            return tls is null
                ? new SocketConnection(socket, peer, options.LargestRead, watch)
                : await tls.DialledAsync(socket, peer, options.LargestRead, watch, cancellationToken);
        }
        catch (Exception)
        {
            watch?.Dispose();
            socket.Dispose();
            throw;
        }
    }

    private async ValueTask<IReadOnlyList<EndPointName>> AddressesOfAsync(EndPointName endPoint, CancellationToken cancellationToken)
    {
        if (endPoint.Scheme != EndPointScheme.Tcp || IPAddress.TryParse(endPoint.Host, out _))
        {
            return [endPoint];
        }

        IPAddress[] addresses = await _resolve(endPoint.Host, cancellationToken);
        return addresses.Length > 0 ? [.. addresses.Select(address => EndPointName.Tcp(address.ToString(), endPoint.Port))]
            : throw new SocketException((int)SocketError.HostNotFound);
    }

    private async ValueTask<Socket> BindAsync(EndPointName endPoint, CancellationToken cancellationToken)
    {
        endPoint = (await AddressesOfAsync(endPoint, cancellationToken))[0];
        Socket socket = SocketFactory.Create(endPoint, options);
        try
        {
            if (endPoint.Scheme == EndPointScheme.Unix)
            {
                UnixSocketGuard.BindPrivately(socket, endPoint.Host, options.Group);
            }
            else
            {
                socket.Bind(new IPEndPoint(IPAddress.Parse(endPoint.Host), endPoint.Port));
            }

            return socket;
        }
        catch (Exception)
        {
            socket.Dispose();
            throw;
        }
    }

    private static CoordinatorException CannotListen(EndPointName endPoint, SocketException error) => new(
        ProcessErrors.CannotListen,
        $"cannot listen: {error.Message}",
        endPoint.ToString(),
        "nothing was read or written",
        error.SocketErrorCode switch
        {
            SocketError.AddressAlreadyInUse => "choose another port, or port 0 for any free one",
            SocketError.TooManyOpenSockets => ErrnoAdvice.OpenFiles,
            _ => "choose an address of this machine that this user may use",
        },
        error);
}
