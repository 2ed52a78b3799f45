using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.Coordinator.Transport.Tls;
using Ambrosia.CoordinatorHost.Options;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost;

/// <summary>How coordinators reach each other, as the options say: encrypted, or on this machine, or told that neither is needed.</summary>
public static class PeerTransport
{
    /// <summary>The transport for peers; <c>pipe:</c> addresses stay inside the process.</summary>
    /// <exception cref="CoordinatorException">The certificates cannot be used (IC-1014).</exception>
    public static async ValueTask<ITransport> MakeAsync(CoordinatorOptions options, ITransport pipes, TimeProvider time, ILogger logger)
    {
        if (options.PeerCertFile.Length > 0)
        {
            return new RoutingTransport(pipes,
                new SocketTransport(new SocketTransportOptions(), time, logger, await TlsAsync(options, time, logger)));
        }

        if (!(options.Advertise ?? options.PeerAddress).IsLocal)
        {
            CoordinatorLog.PeersInTheClear(logger, options.InstanceName, (options.Advertise ?? options.PeerAddress).ToString());
        }

        var plain = new RoutingTransport(pipes, new SocketTransport(new SocketTransportOptions(), time, logger));
        return options.AllowPlaintextPeers ? plain : new LocalOnlyTransport(plain);
    }

    private static async ValueTask<PeerTls> TlsAsync(CoordinatorOptions options, TimeProvider time, ILogger logger)
    {
        var files = new PeerCertificateFiles(options.PeerCertFile, options.PeerKeyFile, options.PeerTrustedCaFile);
        PeerIdentity identity = PeerIdentity.TryParse(options.PeerIdentity, options.Cluster, out PeerIdentity? read) ? read
            : throw new InvalidOperationException("The options were not validated.");
        return await RenewedFiles.LoadAsync(
            () => new PeerTls(new PeerCertificates(files, identity, options.InstanceName, logger), identity, time, logger), time);
    }
}
