using System.Net;
using System.Net.Sockets;

namespace Ambrosia.Services;

/// <summary>Ports of this machine.</summary>
internal static class Ports
{
    /// <summary>One that nobody listens at now.</summary>
    public static int Free()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    /// <summary>Whether somebody listens there.</summary>
    public static bool Answers(int port)
    {
        using var client = new TcpClient();
        try
        {
            client.Connect(IPAddress.Loopback, port);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
