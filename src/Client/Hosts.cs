using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;

namespace Ambrosia.Client;

/// <summary>How an address is connected to. Its name may stand for several hosts.</summary>
internal static class Hosts
{
    /// <summary>
    /// Connections to the hosts of an address, beginning with one of them. A host that is gone without a word is noticed by pings.
    /// </summary>
    /// <param name="first">Number of the host that is tried first.</param>
    /// <param name="authorities">Authorities that are trusted; null for the system's own.</param>
    public static SocketsHttpHandler Open(int first, X509Certificate2Collection? authorities) => new()
    {
        EnableMultipleHttp2Connections = true,
        AllowAutoRedirect = false,
        UseCookies = false,
        ConnectTimeout = TimeSpan.FromSeconds(5),
        ConnectCallback = (context, stop) => ConnectAsync(context.DnsEndPoint, first, stop),
        KeepAlivePingDelay = TimeSpan.FromSeconds(15),
        KeepAlivePingTimeout = TimeSpan.FromSeconds(10),
        SslOptions = new SslClientAuthenticationOptions { CertificateChainPolicy = authorities is null ? null : Trusting(authorities) },
    };

    /// <summary>How many hosts a name stands for now; 1 if nobody can say.</summary>
    public static async Task<int> CountAsync(string name, CancellationToken stop)
    {
        try
        {
            return Math.Max(1, (await Dns.GetHostAddressesAsync(name, stop).ConfigureAwait(false)).Length);
        }
        catch (SocketException)
        {
            return 1;
        }
    }

    private static async ValueTask<Stream> ConnectAsync(DnsEndPoint name, int first, CancellationToken stop)
    {
        IPAddress[] hosts = await Dns.GetHostAddressesAsync(name.Host, stop).ConfigureAwait(false);
        if (hosts.Length == 0)
        {
            throw new SocketException((int)SocketError.HostNotFound);
        }

        for (int i = 0; ; i++)
        {
            IPAddress host = hosts[(int)((uint)(first + i) % (uint)hosts.Length)];
            Socket? socket = null;
            try
            {
                socket = new Socket(host.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
                await socket.ConnectAsync(new IPEndPoint(host, name.Port), stop).ConfigureAwait(false);
                return new NetworkStream(socket, ownsSocket: true);
            }
            catch (SocketException) when (i + 1 < hosts.Length)
            {
                socket?.Dispose();
            }
            catch
            {
                socket?.Dispose();
                throw;
            }
        }
    }

    private static X509ChainPolicy Trusting(X509Certificate2Collection authorities)
    {
        // Authorities of one's own seldom say where it would be told that a certificate is revoked.
        var policy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
        policy.CustomTrustStore.AddRange(authorities);
        return policy;
    }
}
