using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Transport.Tls;

/// <summary>
/// The files' newest usable version. They are read again at every handshake, which costs far less than the handshake itself, so that a
/// replaced certificate is used by the next connection, whatever replaced it, and those that stand go on. Files that are being replaced do
/// not fit together for a moment: the last good ones are used.
/// </summary>
public sealed class PeerCertificates
{
    private readonly object _gate = new();
    private readonly PeerCertificateFiles _files;
    private readonly PeerIdentity _identity;
    private readonly string _instance;
    private readonly ILogger _logger;
    private (string Certificate, string Key, string Authorities) _read;
    private string _trouble = "";
    private PeerCredentials _good;

    /// <summary>Reads the files.</summary>
    /// <exception cref="CoordinatorException">They cannot be used (IC-1014).</exception>
    public PeerCertificates(PeerCertificateFiles files, PeerIdentity identity, string instance, ILogger logger)
    {
        _files = files;
        _identity = identity;
        _instance = instance;
        _logger = logger;
        try
        {
            _read = ReadFiles();
            _good = Understand(_read);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or FormatException)
        {
            throw new CoordinatorException(
                ProcessErrors.CertificatesUnusable, $"the certificates for other coordinators cannot be used: {error.Message}", $"{files.Certificate}, {files.Key}, {files.Authorities}",
                "nothing was started", "correct the files that --peer-cert-file, --peer-key-file and --peer-trusted-ca-file name", error);
        }

        Tell();
    }

    /// <summary>What a handshake that begins now uses. From any thread.</summary>
    internal PeerCredentials Current
    {
        get
        {
            lock (_gate)
            {
                Refresh();
                return _good;
            }
        }
    }

    private void Refresh()
    {
        try
        {
            (string, string, string) now = ReadFiles();
            if (now != _read)
            {
                _good = Understand(now);
                _read = now;
                Tell();
            }

            _trouble = "";
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or FormatException)
        {
            if (_trouble != error.Message)
            {
                _trouble = error.Message;
                CoordinatorLog.CertificatesStay(_logger, error.Message);
            }
        }
    }

    private (string Certificate, string Key, string Authorities) ReadFiles() =>
        (File.ReadAllText(_files.Certificate), File.ReadAllText(_files.Key), File.ReadAllText(_files.Authorities));

    private PeerCredentials Understand((string Certificate, string Key, string Authorities) text) =>
        PeerCredentials.Read(text.Certificate, text.Key, text.Authorities, _identity, _instance);

    private void Tell() => CoordinatorLog.CertificatesRead(_logger, _identity.UriOf(_instance), _good.Own.TargetCertificate.NotAfter.ToUniversalTime());
}
