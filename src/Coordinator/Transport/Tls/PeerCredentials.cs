using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Ambrosia.Coordinator.Transport.Tls;

/// <summary>What one version of the files holds: this coordinator's certificate, and the authorities that it trusts.</summary>
internal sealed class PeerCredentials
{
    private PeerCredentials(SslStreamCertificateContext own, X509Certificate2Collection authorities) =>
        (Own, Authorities) = (own, authorities);

    /// <summary>Its certificate, with key and intermediates.</summary>
    public SslStreamCertificateContext Own { get; }

    /// <summary>Roots of every certificate that is believed.</summary>
    public X509Certificate2Collection Authorities { get; }

    /// <summary>Reads the three texts.</summary>
    /// <exception cref="FormatException">They cannot be used; the message says why.</exception>
    public static PeerCredentials Read(string certificate, string key, string authorities, PeerIdentity identity, string instance)
    {
        try
        {
            SslStreamCertificateContext own = OwnCertificate.Read(certificate, key);
            if (CertificateCheck.NameIn(own.TargetCertificate, identity, out string text) != instance)
            {
                throw new FormatException($"this instance needs {identity.UriOf(instance)} in its certificate: {text}");
            }

            var roots = new X509Certificate2Collection();
            roots.ImportFromPem(authorities);
            return roots.Count > 0
                ? new PeerCredentials(own, roots)
                : throw new FormatException("the file of authorities holds no certificate");
        }
        catch (Exception error) when (error is CryptographicException or ArgumentException)
        {
            throw new FormatException($"the file of authorities must be PEM: {error.Message}", error);
        }
    }
}
