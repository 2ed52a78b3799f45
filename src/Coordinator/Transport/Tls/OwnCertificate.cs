using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Ambrosia.Coordinator.Transport.Tls;

/// <summary>A certificate of this process with its key, as files in PEM hold them.</summary>
public static class OwnCertificate
{
    /// <summary>Reads both, and what a connection sends with them: the chain that stands behind the certificate in its file.</summary>
    /// <param name="certificate">The certificate's file.</param>
    /// <param name="key">The key's file.</param>
    /// <exception cref="FormatException">They cannot be used; the message says why.</exception>
    public static SslStreamCertificateContext Read(string certificate, string key)
    {
        try
        {
            X509Certificate2 own = X509Certificate2.CreateFromPem(certificate, key);
            var sent = new X509Certificate2Collection();
            sent.ImportFromPem(certificate);
            sent.RemoveAt(0);
            return SslStreamCertificateContext.Create(own, sent, offline: true);
        }
        catch (Exception error) when (error is CryptographicException or ArgumentException)
        {
            throw new FormatException($"certificate and key must be PEM, the key unencrypted and that of the certificate: {error.Message}",
                error);
        }
    }
}
