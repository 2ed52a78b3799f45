using System.Net.Sockets;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.Cli.Commands;

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
            CheckListener(socket, path);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch (Exception error) when (error is SocketException or CommandException)
        {
            socket.Dispose();
            throw;
        }
    }

    // The path can be guessed, and answers of another user's process are not an instance's. Root asks coordinators of all users.
    private static void CheckListener(Socket socket, string path)
    {
        uint own = Platform.UsesLinuxCalls ? SocketCalls.EffectiveUser() : 0;
        if (own != 0 && SocketUser.Of(socket)?.ListenerObjection(own, allowed: null) is { } reason)
        {
            throw new CommandException(CommandExit.Unavailable,
                $"What listens at {path} is not believed: {reason}. Ask as that user, or as root.");
        }
    }
}
