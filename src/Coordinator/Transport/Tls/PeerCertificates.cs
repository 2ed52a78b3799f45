using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Transport.Tls;

/// <summary>
/// The files' newest usable version. They are read again at every handshake, which costs far less than the handshake itself, so that a
/// replaced certificate is used by the next connection, and those that stand go on.
/// </summary>
public sealed class PeerCertificates
{
    private readonly RenewedFiles<PeerCredentials> _files;

    /// <summary>Reads the files.</summary>
    /// <exception cref="CoordinatorException">They cannot be used (IC-1014).</exception>
    public PeerCertificates(PeerCertificateFiles files, PeerIdentity identity, string instance, ILogger logger)
    {
        try
        {
            _files = new RenewedFiles<PeerCredentials>(
                [files.Certificate, files.Key, files.Authorities],
                texts => PeerCredentials.Read(texts[0], texts[1], texts[2], identity, instance),
                read => CoordinatorLog.CertificatesRead(logger, identity.UriOf(instance),
                    read.Own.TargetCertificate.NotAfter.ToUniversalTime()),
                reason => CoordinatorLog.CertificatesStay(logger, reason));
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or FormatException)
        {
            throw new CoordinatorException(
                ProcessErrors.CertificatesUnusable, $"the certificates for other coordinators cannot be used: {error.Message}",
                $"{files.Certificate}, {files.Key}, {files.Authorities}",
                "nothing was started", "correct the files that --peer-cert-file, --peer-key-file and --peer-trusted-ca-file name", error);
        }
    }

    /// <summary>What a handshake that begins now uses. From any thread.</summary>
    internal PeerCredentials Current => _files.Current;
}
