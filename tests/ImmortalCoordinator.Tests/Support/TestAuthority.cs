using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Ambrosia.ImmortalCoordinator.Transport.Sockets;
using Ambrosia.ImmortalCoordinator.Transport.Tls;
using Microsoft.Extensions.Logging;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A certificate authority that lives in a folder of the test, and signs what it is told to.</summary>
internal sealed class TestAuthority : IDisposable
{
    public const string ForServers = "1.3.6.1.5.5.7.3.1";
    public const string ForClients = "1.3.6.1.5.5.7.3.2";
    private static int s_serial;
    private readonly ECDsa _key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
    private readonly X509Certificate2 _root;
    private readonly TemporaryFolder _folder;

    public TestAuthority(TemporaryFolder folder, string name)
    {
        _folder = folder;
        var request = new CertificateRequest($"CN={name}", _key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign, true));
        _root = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddYears(-1), DateTimeOffset.UtcNow.AddYears(1));
        File = folder[$"{name}.pem"];
        System.IO.File.WriteAllText(File, _root.ExportCertificatePem());
    }

    /// <summary>Where its own certificate lies.</summary>
    public string File { get; }

    /// <summary>How the tests' certificates name instances.</summary>
    public static PeerIdentity Identity { get; } = PeerIdentity.TryParse(PeerIdentity.Default, "default", out PeerIdentity? identity) ? identity : throw new InvalidOperationException();

    /// <summary>Files of a certificate that names an instance, with that authority as the one believed.</summary>
    public PeerCertificateFiles Issue(string instance, TestAuthority? believes = null) => Sign(instance, [$"spiffe://default/{instance}"], believes: believes);

    /// <summary>Files of a certificate with these URIs, this validity in hours from now, and this purpose.</summary>
    public PeerCertificateFiles Sign(string file, string[] uris, double from = -1, double to = 1, string[]? purposes = null, TestAuthority? believes = null)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={file}", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost"); // Names of hosts may be there, and say nothing.
        Array.ForEach(uris, uri => names.AddUri(new Uri(uri)));
        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([.. (purposes ?? [ForServers, ForClients]).Select(static purpose => new Oid(purpose))], false));
        DateTimeOffset now = DateTimeOffset.UtcNow;
        using X509Certificate2 signed = request.Create(_root, now.AddHours(from), now.AddHours(to), BitConverter.GetBytes(Interlocked.Increment(ref s_serial)));
        var files = new PeerCertificateFiles(_folder[$"{file}.crt"], _folder[$"{file}.key"], (believes ?? this).File);
        System.IO.File.WriteAllText(files.Certificate, signed.ExportCertificatePem());
        System.IO.File.WriteAllText(files.Key, key.ExportPkcs8PrivateKeyPem());
        return files;
    }

    /// <summary>A transport over real sockets that shows these files. The instance is the one that they name.</summary>
    public static SocketTransport Transport(PeerCertificateFiles files, string instance, ILogger logger)
    {
        var certificates = new PeerCertificates(files, Identity, instance, logger);
        return new SocketTransport(new SocketTransportOptions(), TimeProvider.System, logger, new PeerTls(certificates, Identity, TimeProvider.System, logger));
    }

    public void Dispose()
    {
        _root.Dispose();
        _key.Dispose();
    }
}
