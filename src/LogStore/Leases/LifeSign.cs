using System.Net.Sockets;

namespace Ambrosia.LogStore.Leases;

/// <summary>
/// An abstract Unix socket that a process keeps as long as it lives. The kernel takes its name away when the process ends, however it
/// ends, and everybody of the same network namespace can see whether it is there: the containers of a pod, too, which do not see each
/// other's processes.
/// </summary>
public static class LifeSign
{
    /// <summary>Gives the sign; null where there are no such names, or this one is taken.</summary>
    public static Socket? TryGive(string name)
    {
        if (!OperatingSystem.IsLinux())
        {
            return null;
        }

        Socket? socket = null;
        try
        {
            socket = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
            socket.Bind(new UnixDomainSocketEndPoint('\0' + name));
            return socket;
        }
        catch (SocketException)
        {
            socket?.Dispose();
            return null;
        }
    }

    /// <summary>Whether the name is nobody's; false when that cannot be known.</summary>
    public static bool IsMissing(string name)
    {
        using Socket? mine = TryGive(name);
        return mine is not null;
    }
}
