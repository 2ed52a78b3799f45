using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.CoordinatorHost.Jwt;
using Ambrosia.CoordinatorHost.Logging;
using Ambrosia.CoordinatorHost.Options;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>Which clients may call: those of a file of tokens, those to whom an issuer gives JSON Web Tokens, or both.</summary>
internal sealed class IngressCallers : IDisposable
{
    private const string Scheme = "Bearer ";
    private const int RefusedEvent = 1222;
    private static readonly TimeSpan s_window = TimeSpan.FromMinutes(1);
    private readonly IngressTokens? _file;
    private readonly JwtVerifier? _verifier;
    private readonly ILogger _logger;
    private readonly RepeatedLines _repeated;

    public IngressCallers(IngressTokens? file, JwtVerifier? verifier, TimeProvider time, ILogger logger)
    {
        (_file, _verifier, _logger) = (file, verifier, logger);
        _repeated = new RepeatedLines(logger, s_window, time);
    }

    /// <summary>Reads what the options name; null if they name nothing, so that all on this machine may call.</summary>
    /// <param name="file">File of tokens; empty for none.</param>
    /// <param name="jwt">Tokens of an issuer.</param>
    /// <param name="prefix">What options of the latter begin with, for messages.</param>
    /// <param name="time">Clock.</param>
    /// <param name="logger">Receives who was refused, and why.</param>
    /// <exception cref="CoordinatorException">A file cannot be used (IC-1008, IC-1045).</exception>
    public static IngressCallers? Load(string file, JwtOptions jwt, string prefix, TimeProvider time, ILogger logger)
    {
        if (file.Length == 0 && !jwt.IsOn)
        {
            return null;
        }

        IngressTokens? tokens = file.Length == 0 ? null : IngressTokens.Load(file, time, logger);
        IJwtKeySource? keys = !jwt.IsOn ? null
            : JwtRules.KeysAddress(jwt.Keys) is { } address ? new JwtKeyAddress(address, time, logger)
            : JwtKeyFile.Load(jwt.Keys, $"{prefix}-keys", time, logger);
        return new IngressCallers(tokens, keys is null ? null : new JwtVerifier(jwt, keys, time), time, logger);
    }

    /// <summary>Those that the file names now.</summary>
    public IEnumerable<IngressCaller> Listed => _file?.Listed ?? [];

    /// <summary>Whose token of the file a request shows; null if none of these.</summary>
    public IngressCaller? OfFile(HttpRequest request) => Shown(request) is { } shown ? _file?.Find(shown) : null;

    /// <summary>Whose token a request shows.</summary>
    /// <returns>The caller; null with a problem if that cannot be told now, without one if it is nobody's.</returns>
    public async ValueTask<(IngressCaller? Caller, Problem? Problem)> FindAsync(HttpRequest request, CancellationToken stop)
    {
        if (Shown(request) is not { } shown)
        {
            return default;
        }

        if (_verifier is null || !JwtVerifier.HasForm(shown))
        {
            return (_file?.Find(shown), null);
        }

        (JwtCaller? caller, JwtRefusal refusal) = await _verifier.VerifyAsync(shown, stop);
        if (caller is not null)
        {
            return (new IngressCaller(caller.Name, caller.Methods), null);
        }

        if (refusal == JwtRefusal.NoKeys)
        {
            return (null, new Problem(
                StatusCodes.Status503ServiceUnavailable, IngressErrors.Unavailable, "tokens cannot be verified now; come again"));
        }

        if (_file?.Find(shown) is { } other) // One of the file may have two dots.
        {
            return (other, null);
        }

        string reason = JwtReasons.Of(refusal);
        if (_repeated.IsFirst(new RefusedKind(RefusedEvent, reason, ""), () => reason))
        {
            CoordinatorLog.JwtRefused(_logger, reason);
        }

        return default;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _repeated.Dispose();
        _verifier?.Dispose();
    }

    private static string? Shown(HttpRequest request)
    {
        string header = request.Headers.Authorization.Count == 1 ? request.Headers.Authorization.ToString() : "";
        return header.StartsWith(Scheme, StringComparison.OrdinalIgnoreCase) ? header[Scheme.Length..].Trim() : null;
    }
}
