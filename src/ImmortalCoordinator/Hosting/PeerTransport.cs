using Ambrosia.ImmortalCoordinator.Transport;
using Ambrosia.ImmortalCoordinator.Transport.Sockets;
using Ambrosia.ImmortalCoordinator.Transport.Tls;
using Microsoft.Extensions.Logging;

namespace Ambrosia.ImmortalCoordinator.Hosting;

/// <summary>How coordinators reach each other, as the options say: encrypted, or on this machine, or told that neither is needed.</summary>
public static class PeerTransport
{
    /// <summary>The transport for peers; <c>pipe:</c> addresses stay inside the process.</summary>
    /// <exception cref="CoordinatorException">The certificates cannot be used (IC-1014).</exception>
    public static ITransport Make(CoordinatorOptions options, ITransport pipes, TimeProvider time, ILogger logger)
    {
        if (options.PeerCertFile.Length > 0)
        {
            return new RoutingTransport(pipes, new SocketTransport(new SocketTransportOptions(), time, logger, Tls(options, time, logger)));
        }

        if (!(options.Advertise ?? options.PeerAddress).IsLocal)
        {
            CoordinatorLog.PeersInTheClear(logger, options.InstanceName, (options.Advertise ?? options.PeerAddress).ToString());
        }

        var plain = new RoutingTransport(pipes, new SocketTransport(new SocketTransportOptions(), time, logger));
        return options.AllowPlaintextPeers ? plain : new LocalOnlyTransport(plain);
    }

    private static PeerTls Tls(CoordinatorOptions options, TimeProvider time, ILogger logger)
    {
        var files = new PeerCertificateFiles(options.PeerCertFile, options.PeerKeyFile, options.PeerTrustedCaFile);
        PeerIdentity identity = PeerIdentity.TryParse(options.PeerIdentity, options.Cluster, out PeerIdentity? read) ? read : throw new InvalidOperationException("The options were not validated.");
        return new PeerTls(new PeerCertificates(files, identity, options.InstanceName, logger), identity, time, logger);
    }
}
