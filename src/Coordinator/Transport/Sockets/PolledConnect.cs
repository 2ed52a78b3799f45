using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Ambrosia.Primitives.Loops;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.Coordinator.Transport.Sockets;

/// <summary>
/// Connects on the loop's own thread. A socket that the runtime has connected would be watched by the runtime's thread as well, for its
/// whole life.
/// </summary>
[SupportedOSPlatform("linux")]
internal static class PolledConnect
{
    /// <summary>Completes when the connection stands.</summary>
    /// <exception cref="SocketException">It was refused.</exception>
    public static async ValueTask ConnectAsync(Socket socket, EndPoint endPoint, LoopWatch watch, CancellationToken cancellationToken)
    {
        socket.Blocking = false;
        int error = Begin(socket, endPoint);
        // A Unix socket whose backlog is full says "would block" and never becomes writable: that is an address where nobody answers now.
        if (error == SocketCalls.InProgress)
        {
            await using CancellationTokenRegistration cancelled =
                cancellationToken.UnsafeRegister(static state => ((LoopWatch)state!).WakeWriter(), watch);
            do
            {
                await watch.WaitWritableAsync();
                cancellationToken.ThrowIfCancellationRequested();
                error = Begin(socket, endPoint); // Again: the call itself says what became of the first one.
            }
            while (error is SocketCalls.InProgress or SocketCalls.Already);
        }

        if (error is not (0 or SocketCalls.IsConnected))
        {
            throw SocketErrors.Of(error);
        }
    }

    private static int Begin(Socket socket, EndPoint endPoint)
    {
        SocketAddress address = endPoint.Serialize();
        return SocketCalls.Connect(socket.SafeHandle, address.Buffer.Span[..address.Size]);
    }
}
