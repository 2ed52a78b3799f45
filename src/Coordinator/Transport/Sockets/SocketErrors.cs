using System.Net.Sockets;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.Coordinator.Transport.Sockets;

/// <summary>Error numbers of Linux as the runtime names them.</summary>
internal static class SocketErrors
{
    /// <summary>The exception that the runtime's own call would have thrown.</summary>
    public static SocketException Of(int error) => new((int)(error switch
    {
        2 => SocketError.AddressNotAvailable, // ENOENT: no such Unix socket.
        13 => SocketError.AccessDenied,
        SocketCalls.WouldBlock => SocketError.WouldBlock,
        101 => SocketError.NetworkUnreachable,
        104 => SocketError.ConnectionReset,
        110 => SocketError.TimedOut,
        111 => SocketError.ConnectionRefused,
        113 => SocketError.HostUnreachable,
        _ => SocketError.SocketError,
    }));
}
