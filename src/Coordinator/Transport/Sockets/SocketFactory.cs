using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.Coordinator.Transport.Sockets;

/// <summary>Makes sockets with the options that this project wants, and names the process at the other end.</summary>
internal static class SocketFactory
{
    /// <summary>A socket that fits the address.</summary>
    public static Socket Create(EndPointName endPoint, SocketTransportOptions options)
    {
        switch (endPoint.Scheme)
        {
            case EndPointScheme.Unix:
                UnixSocketGuard.CheckLength(endPoint.Host);
                var local = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
                Tune(local, options);
                return local;
            case EndPointScheme.Tcp:
                Socket socket = IPAddress.TryParse(endPoint.Host, out IPAddress? address)
                    ? new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp)
                    : new Socket(SocketType.Stream, ProtocolType.Tcp);
                Tune(socket, options);
                return socket;
            default:
                throw new CoordinatorException(
                    ProcessErrors.AddressKindUnsupported, "a pipe: address exists only inside one process", endPoint.ToString(),
                    "nothing was read or written", "use tcp:host:port or unix:/path");
        }
    }

    /// <summary>Sets the options of a new or accepted socket.</summary>
    public static void Tune(Socket socket, SocketTransportOptions options)
    {
        if (socket.AddressFamily == AddressFamily.Unix)
        {
            socket.SendBufferSize = options.SystemBuffer;
            socket.ReceiveBufferSize = options.SystemBuffer;
            return;
        }

        // No TCP_USER_TIMEOUT: the system would end a connection also because its reader, which lives and answers, reads nothing for so
        // long. A dead peer shows by its missing heartbeats, or leaves a question of the system's unanswered.
        socket.NoDelay = options.NoDelay;
        int seconds = Math.Max(1, (int)options.KeepAlive.TotalSeconds);
        socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive, true);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveTime, seconds);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveInterval, seconds);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveRetryCount, 3);
    }

    /// <summary>The other end in words: an address, or for a Unix socket the process as the kernel knows it.</summary>
    public static string PeerOf(Socket socket, EndPointName endPoint)
    {
        if (endPoint.Scheme != EndPointScheme.Unix)
        {
            return socket.RemoteEndPoint is IPEndPoint { Address: var address, Port: var port }
                ? EndPointName.Tcp((address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address).ToString(), port).ToString()
                : endPoint.ToString();
        }

        return SocketUser.Of(socket) is { } user ? string.Create(CultureInfo.InvariantCulture, $"process {user.Process} at {endPoint}")
            : endPoint.ToString();
    }
}
