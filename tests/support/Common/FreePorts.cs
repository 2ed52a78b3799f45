using System.Net;
using System.Net.Sockets;

namespace Ambrosia.Tests;

/// <summary>Ports of this machine that nobody listens at, as the system chooses them.</summary>
internal static class FreePorts
{
    /// <summary>One of them.</summary>
    public static int One() => Some(1)[0];

    /// <summary>Several, each another one.</summary>
    public static int[] Some(int count)
    {
        TcpListener[] listeners = [.. Enumerable.Range(0, count).Select(static _ => new TcpListener(IPAddress.Loopback, 0))];
        Array.ForEach(listeners, static listener => listener.Start());
        int[] ports = [.. listeners.Select(static listener => ((IPEndPoint)listener.LocalEndpoint).Port)];
        Array.ForEach(listeners, static listener => listener.Dispose());
        return ports;
    }
}
