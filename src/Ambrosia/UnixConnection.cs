using System.Net.Sockets;

namespace Ambrosia.Cli;

/// <summary>What HTTP needs to reach a server at a Unix socket.</summary>
internal static class UnixConnection
{
    /// <summary>Connects; the stream owns the connection.</summary>
    public static async ValueTask<Stream> ConnectAsync(string path, CancellationToken cancellationToken)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancellationToken);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch (SocketException)
        {
            socket.Dispose();
            throw;
        }
    }
}
