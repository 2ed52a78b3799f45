using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Ambrosia.Coordinator.Transport.Tls;

/// <summary>
/// TLS 1.3 with certificates on both sides, and nothing else: no older version, no resumption that would outlive a certificate, no
/// renegotiation.
/// </summary>
[System.Diagnostics.CodeAnalysis.SuppressMessage("Security", "CA5398",
    Justification = "One version is the point: both sides are this program.")]
internal static class TlsOptions
{
    public static SslClientAuthenticationOptions ForClient(PeerCredentials credentials, CertificateCheck check, DateTimeOffset now) => new()
    {
        TargetHost = "", // Certificates name instances, not hosts.
        ClientCertificateContext = credentials.Own,
        EnabledSslProtocols = SslProtocols.Tls13,
        AllowTlsResume = false,
        AllowRenegotiation = false,
        CertificateRevocationCheckMode = X509RevocationMode.NoCheck,
        CertificateChainPolicy = CertificateCheck.Policy(credentials.Authorities, now, ofClient: false),
        RemoteCertificateValidationCallback = (_, shown, chain, _) => check.IsGood(shown, chain),
    };

    public static SslServerAuthenticationOptions ForServer(PeerCredentials credentials, CertificateCheck check, DateTimeOffset now) => new()
    {
        ServerCertificateContext = credentials.Own,
        ClientCertificateRequired = true,
        EnabledSslProtocols = SslProtocols.Tls13,
        AllowTlsResume = false,
        AllowRenegotiation = false,
        CertificateRevocationCheckMode = X509RevocationMode.NoCheck,
        CertificateChainPolicy = CertificateCheck.Policy(credentials.Authorities, now, ofClient: true),
        RemoteCertificateValidationCallback = (_, shown, chain, _) => check.IsGood(shown, chain),
    };
}
