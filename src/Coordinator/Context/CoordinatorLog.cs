using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Context;

/// <summary>
/// Every log event of the coordinator, with ids that stay: 1000 to 1099 life, 1100 to 1199 connections, 1200 to 1299 admin address; the
/// core's events follow from 1300. The log store has 2000 to 2999, the C# binding 3000 to 3999.
/// </summary>
public static partial class CoordinatorLog
{
    [LoggerMessage(1000, LogLevel.Information, "{Instance} stops because {Reason}")]
    public static partial void Draining(ILogger logger, string instance, string reason);

    [LoggerMessage(1001, LogLevel.Warning, "{Instance} did not finish within {Seconds} s and ends now; nothing acknowledged is lost")]
    public static partial void DrainTimedOut(ILogger logger, string instance, double seconds);

    [LoggerMessage(1002, LogLevel.Critical, "{Code} {Text}")]
    public static partial void CannotGoOn(ILogger logger, string code, string text, Exception? exception);

    [LoggerMessage(1003, LogLevel.Warning, "{Instance} accepts peers at {EndPoint} without encryption: use it on trusted networks only")]
    public static partial void PeersInTheClear(ILogger logger, string instance, string endPoint);

    [LoggerMessage(1004, LogLevel.Information, "Other coordinators see {Uri}, valid until {Until:yyyy-MM-dd HH:mm:ss}Z")]
    public static partial void CertificatesRead(ILogger logger, string uri, DateTime until);

    [LoggerMessage(1005, LogLevel.Warning,
        "IC-4019 the certificates for other coordinators have changed and cannot be used, those read before stay: {Reason}")]
    public static partial void CertificatesStay(ILogger logger, string reason);

    [LoggerMessage(1007, LogLevel.Warning, "{Instance} runs on managed fallbacks ({Reason}): {Limits}")]
    public static partial void ManagedFallbacks(ILogger logger, string instance, string reason, string limits);

    [LoggerMessage(1103, LogLevel.Warning, "{Peer} was refused at {EndPoint}: {Code} {Reason}")]
    public static partial void HandshakeRefused(ILogger logger, string peer, string endPoint, string code, string reason);

    [LoggerMessage(1104, LogLevel.Warning, "{Count} further lines like this one were left out within {Seconds:F0} s: {Last}")]
    public static partial void LinesLeftOut(ILogger logger, long count, double seconds, string last);

    [LoggerMessage(1100, LogLevel.Debug, "Connection with {Peer} ended: {Reason}")]
    public static partial void ConnectionLost(ILogger logger, string peer, string reason);

    [LoggerMessage(1101, LogLevel.Warning, "Accepting at {EndPoint} failed, trying again: {Reason}")]
    public static partial void AcceptFailed(ILogger logger, string endPoint, string reason);

    [LoggerMessage(1102, LogLevel.Warning, "Connections at {EndPoint} exceed {Limit}: further ones are closed until others end")]
    public static partial void TooManyConnections(ILogger logger, string endPoint, int limit);

    [LoggerMessage(1200, LogLevel.Information, "{Instance} answers health, status and metrics at {EndPoint}")]
    public static partial void AdminListening(ILogger logger, string instance, string endPoint);

    [LoggerMessage(1204, LogLevel.Debug, "{Instance} answers health, status and metrics at {EndPoint}")]
    public static partial void AdminOpen(ILogger logger, string instance, string endPoint);

    [LoggerMessage(
        1205,
        LogLevel.Warning,
        "{Instance} goes on without an admin address and tries again: 'ambrosia status', 'top' and 'upgrade' cannot ask it ({Reason})")]
    public static partial void AdminClosed(ILogger logger, string instance, string reason);

    [LoggerMessage(1206, LogLevel.Information,
        "Where {Instance} answers could not be noted for 'ambrosia', which needs --admin to ask it: {Reason}")]
    public static partial void AdminNotNoted(ILogger logger, string instance, string reason);

    [LoggerMessage(
        1202,
        LogLevel.Information,
        "{Instance} answers at {EndPoint} to the token in {File}; a browser opens /page/#token=TOKEN")]
    public static partial void AdminAsksForToken(ILogger logger, string instance, string endPoint, string file);

    [LoggerMessage(1213, LogLevel.Warning,
        "{Instance} takes calls from outside at {EndPoint} without encryption: use it on trusted networks "
        + "only, or give --ingress-cert-file and --ingress-key-file")]
    public static partial void IngressInTheClear(ILogger logger, string instance, string endPoint);

    [LoggerMessage(1214, LogLevel.Warning,
        "The gateway takes calls at {EndPoint} without encryption: use it on trusted networks only, or give --cert-file and --key-file")]
    public static partial void GatewayInTheClear(ILogger logger, string endPoint);

    // All names are one place for OutageLogger: a catalog that is away would fill the log with a line for each of them.
    [LoggerMessage(1215, LogLevel.Warning,
        "The gateway cannot say where {Name} is: {Reason}. Calls wait for as long as their callers do; nothing is lost")]
    public static partial void GatewayCannotLookUp(ILogger logger, string name, string reason);

    [LoggerMessage(1216, LogLevel.Warning, "{Code} a call for {Instance} does not get there: {Reason}; {Advice}")]
    public static partial void GatewayWithoutTrust(ILogger logger, string code, string instance, string reason, string advice);

    [LoggerMessage(1217, LogLevel.Information,
        "Made a token of the gateway's own in {File}: instances trust it once its line is in their files of callers")]
    public static partial void GatewayTokenMade(ILogger logger, string file);

    [LoggerMessage(1211, LogLevel.Information,
        "Callers from outside see the certificate of {Subject}, valid until {Until:yyyy-MM-dd HH:mm:ss}Z")]
    public static partial void IngressCertificateRead(ILogger logger, string subject, DateTime until);

    [LoggerMessage(1212, LogLevel.Warning, "IC-4019 the certificate for callers from outside has changed and cannot be used, the one read "
        + "before stays: {Reason}")]
    public static partial void IngressCertificateStays(ILogger logger, string reason);

    [LoggerMessage(1207, LogLevel.Information, "{Instance} takes calls from outside at {EndPoint}, from {Who}")]
    public static partial void IngressListening(ILogger logger, string instance, string endPoint, string who);

    [LoggerMessage(1208, LogLevel.Information, "{Count} tokens of callers from outside read again from {File}")]
    public static partial void IngressTokensRead(ILogger logger, int count, string file);

    [LoggerMessage(1209, LogLevel.Warning, "Tokens of callers from outside stay as they were: {Reason}")]
    public static partial void IngressTokensKept(ILogger logger, string reason);

    [LoggerMessage(1219, LogLevel.Information, "{Count} keys of the issuer of tokens read from {Location}")]
    public static partial void JwtKeysRead(ILogger logger, int count, string location);

    [LoggerMessage(1220, LogLevel.Warning, "The keys of the issuer of tokens cannot be read from {Location}, and those read before stay: "
        + "{Reason}")]
    public static partial void JwtKeysStay(ILogger logger, string location, string reason);

    [LoggerMessage(1222, LogLevel.Warning, "A token from outside is not believed: {Reason}")]
    public static partial void JwtRefused(ILogger logger, string reason);

    [LoggerMessage(
        1210, LogLevel.Warning, "What the app says of its methods cannot be read, so that nobody can call it from outside: {Reason}")]
    public static partial void ShapesNotRead(ILogger logger, string reason);

    [LoggerMessage(1218, LogLevel.Warning, "{What} {Strange}, which {Interface} does not have: it has {Methods}")]
    public static partial void OffersNoSuchMethod(ILogger logger, string what, string strange, string @interface, string methods);

    [LoggerMessage(
        1211, LogLevel.Warning,
        "Metrics or spans do not reach the collector; the instance goes on without, and says so once an hour: {Reason}")]
    public static partial void ExportFails(ILogger logger, string reason);

    [LoggerMessage(1203, LogLevel.Error, "IC-1091 {Request} could not be answered, and the instance goes on: {Reason}")]
    public static partial void RequestFailed(ILogger logger, string request, string reason, Exception? exception);

    [LoggerMessage(1201, LogLevel.Information, "{Instance} answers /healthz, /readyz and /metrics at {EndPoint}")]
    public static partial void HealthListening(ILogger logger, string instance, string endPoint);
}
