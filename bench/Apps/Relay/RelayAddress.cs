using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Ambrosia.Bench.Relay;

/// <summary>A path (Unix socket, as between app and coordinator) or a port on loopback (TCP, as between coordinators).</summary>
internal static class RelayAddress
{
    private const int BufferSize = 1 << 20;

    public static Socket Listen(string address)
    {
        EndPoint point = Parse(address);
        Socket socket = Open(point);
        socket.Bind(point);
        socket.Listen();
        return socket;
    }

    public static async Task<Socket> ConnectAsync(string address)
    {
        EndPoint point = Parse(address);
        Socket socket = Open(point);
        await socket.ConnectAsync(point);
        return Tune(socket);
    }

    /// <summary>Without the runtime's socket thread: no asynchronous operation has been begun on the socket.</summary>
    public static Socket Connect(string address)
    {
        EndPoint point = Parse(address);
        Socket socket = Open(point);
        socket.Connect(point);
        return Tune(socket);
    }

    public static Socket Accept(Socket listener) => Tune(listener.Accept());

    public static async Task<Socket> AcceptAsync(Socket listener) => Tune(await listener.AcceptAsync());

    private static EndPoint Parse(string address) =>
        int.TryParse(address, NumberStyles.None, CultureInfo.InvariantCulture, out int port) ? new IPEndPoint(IPAddress.Loopback, port)
        : new UnixDomainSocketEndPoint(address);

    private static Socket Open(EndPoint point) => point is IPEndPoint
        ? new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        : new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);

    private static Socket Tune(Socket socket)
    {
        socket.SendBufferSize = BufferSize;
        socket.ReceiveBufferSize = BufferSize;
        if (socket.ProtocolType == ProtocolType.Tcp)
        {
            socket.NoDelay = true;
        }

        return socket;
    }
}
