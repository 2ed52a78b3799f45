using System.Net.Security;
using System.Security.Authentication;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Transport.Tls;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// The certificate that callers from outside see. Its files are read again at each handshake, so a renewed one is used without a pause.
/// Callers prove who they are by tokens, not by certificates.
/// </summary>
internal sealed class IngressCertificate
{
    private readonly RenewedFiles<SslStreamCertificateContext> _files;

    private IngressCertificate(string certificate, string key, ILogger logger) => _files = new RenewedFiles<SslStreamCertificateContext>(
        [certificate, key], static texts => OwnCertificate.Read(texts[0], texts[1]),
        read => CoordinatorLog.IngressCertificateRead(
            logger, read.TargetCertificate.Subject, read.TargetCertificate.NotAfter.ToUniversalTime()),
        reason => CoordinatorLog.IngressCertificateStays(logger, reason));

    /// <summary>Reads the files.</summary>
    /// <param name="certificate">File of the certificate.</param>
    /// <param name="key">File of its key.</param>
    /// <param name="time">Clock.</param>
    /// <param name="logger">Receives warnings.</param>
    /// <param name="options">What the options are called that name them.</param>
    /// <exception cref="CoordinatorException">They cannot be used (IC-1014).</exception>
    public static async ValueTask<IngressCertificate> LoadAsync(
        string certificate, string key, TimeProvider time, ILogger logger, string options = "--ingress-cert-file and --ingress-key-file")
    {
        try
        {
            return await RenewedFiles.LoadAsync(() => new IngressCertificate(certificate, key, logger), time);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or FormatException)
        {
            throw new CoordinatorException(
                ProcessErrors.CertificatesUnusable, $"the certificate for callers from outside cannot be used: {error.Message}",
                $"{certificate}, {key}", "nothing was started", $"correct the files that {options} name", error);
        }
    }

    /// <summary>Encrypts what is listened on.</summary>
    /// <param name="listen">What is listened on.</param>
    /// <param name="patience">How long a handshake may take.</param>
    public void Encrypt(ListenOptions listen, TimeSpan patience) => listen.UseHttps(new TlsHandshakeCallbackOptions
    {
        HandshakeTimeout = patience,
        OnConnection = _ => ValueTask.FromResult(new SslServerAuthenticationOptions
        {
            ServerCertificateContext = _files.Current,
            EnabledSslProtocols = SslProtocols.Tls12 | SslProtocols.Tls13,
        }),
    });
}
