using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Ambrosia.Coordinator.Transport.Tls;

/// <summary>What one version of the files holds: who this coordinator is, and whom it believes.</summary>
internal sealed class PeerCredentials
{
    private PeerCredentials(SslStreamCertificateContext own, X509Certificate2Collection authorities) => (Own, Authorities) = (own, authorities);

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
            X509Certificate2 own = X509Certificate2.CreateFromPem(certificate, key);
            if (CertificateCheck.NameIn(own, identity, out string text) != instance)
            {
                throw new FormatException($"this instance needs {identity.UriOf(instance)} in its certificate: {text}");
            }

            var sent = new X509Certificate2Collection();
            sent.ImportFromPem(certificate);
            sent.RemoveAt(0);
            var roots = new X509Certificate2Collection();
            roots.ImportFromPem(authorities);
            return roots.Count > 0
                ? new PeerCredentials(SslStreamCertificateContext.Create(own, sent, offline: true), roots)
                : throw new FormatException("the file of authorities holds no certificate");
        }
        catch (Exception error) when (error is CryptographicException or ArgumentException)
        {
            throw new FormatException($"certificate, key and authorities must be PEM, the key unencrypted and that of the certificate: {error.Message}", error);
        }
    }
}
