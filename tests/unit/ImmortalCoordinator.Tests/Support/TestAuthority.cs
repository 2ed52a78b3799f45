using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.Coordinator.Transport.Tls;
using Ambrosia.Tests.Common;
using Microsoft.Extensions.Logging;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>An authority, and transports that show its certificates.</summary>
internal sealed class TestAuthority(TemporaryFolder folder, string name) : IDisposable
{
    public const string ForServers = Authority.ForServers;
    public const string ForClients = Authority.ForClients;
    private readonly Authority _authority = new(folder.Path, name);

    /// <summary>Where its own certificate lies.</summary>
    public string File => _authority.File;

    /// <summary>How the tests' certificates name instances.</summary>
    public static PeerIdentity Identity { get; } = PeerIdentity.TryParse(PeerIdentity.Default, "default", out PeerIdentity? identity)
        ? identity : throw new InvalidOperationException();

    /// <summary>Files of a certificate that names an instance, with that authority as the one believed.</summary>
    public PeerCertificateFiles Issue(string instance, TestAuthority? believes = null) =>
        Sign(instance, [$"spiffe://default/{instance}"], believes: believes);

    /// <summary>Files of a certificate with these URIs, this validity in hours from now, and this purpose.</summary>
    public PeerCertificateFiles Sign(string file, string[] uris, double from = -1, double to = 1, string[]? purposes = null,
        TestAuthority? believes = null)
    {
        (string certificate, string key) = _authority.Sign(file, uris, from, to, purposes);
        return new PeerCertificateFiles(certificate, key, (believes ?? this).File);
    }

    /// <summary>A transport over real sockets that shows these files. The instance is the one that they name.</summary>
    public static SocketTransport Transport(PeerCertificateFiles files, string instance, ILogger logger)
    {
        var certificates = new PeerCertificates(files, Identity, instance, logger);
        return new SocketTransport(new SocketTransportOptions(), TimeProvider.System, logger,
            new PeerTls(certificates, Identity, TimeProvider.System, logger));
    }

    public void Dispose() => _authority.Dispose();
}
