using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Ambrosia.Hosting;

/// <summary>Where a coordinator accepts its app: <c>/path</c>, <c>unix:/path</c> or <c>tcp:host:port</c>.</summary>
internal static class BindingAddress
{
    /// <summary>Bytes of the longest path of a socket (sockaddr_un on Linux).</summary>
    public const int LongestPath = 107;

    /// <summary>True if a socket can have this path.</summary>
    public static bool Fits(string path) => path.Length > 0 && Encoding.UTF8.GetByteCount(path) <= LongestPath;

    /// <summary>The address as an end point.</summary>
    /// <exception cref="OptionException">It is none.</exception>
    public static EndPoint Parse(string address)
    {
        if (address.StartsWith("tcp:", StringComparison.Ordinal))
        {
            int colon = address.LastIndexOf(':');
            string host = address[4..Math.Max(4, colon)].Trim('[', ']');
            if (colon <= 4 || host.Length == 0
                || !ushort.TryParse(address[(colon + 1)..], NumberStyles.None, CultureInfo.InvariantCulture, out ushort port))
            {
                throw new OptionException($"'{address}' is not an address of a coordinator: tcp:host:port is expected.");
            }

            return IPAddress.TryParse(host, out IPAddress? ip) ? new IPEndPoint(ip, port) : new DnsEndPoint(host, port);
        }

        string path = address.StartsWith("unix:", StringComparison.Ordinal) ? address[5..] : address;
        if (!Fits(path))
        {
            throw new OptionException(
                $"'{address}' is not the path of a socket: 1 to {LongestPath} bytes are allowed. Choose a shorter one with "
                + $"--binding-socket.");
        }

        return new UnixDomainSocketEndPoint(path);
    }
}
