using System.Collections.Concurrent;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Ambrosia.CoordinatorHost.Options;
using Microsoft.IdentityModel.JsonWebTokens;
using Microsoft.IdentityModel.Tokens;

namespace Ambrosia.CoordinatorHost.Jwt;

/// <summary>
/// Says who shows a JSON Web Token (RFC 7519), by the rules of RFC 8725: signatures of public keys alone, by a key of the one issuer that
/// is made for the token's algorithm, for this audience, within its time. What was verified is kept until its time is over or keys change.
/// </summary>
internal sealed class JwtVerifier : IDisposable
{
    /// <summary>How far clocks may be apart.</summary>
    public static readonly TimeSpan Skew = TimeSpan.FromSeconds(60);

    private const int MaxToken = 16 << 10;
    private const int MaxKept = 4096;

    private static readonly string[] s_algorithms =
    [
        SecurityAlgorithms.RsaSha256, SecurityAlgorithms.RsaSha384, SecurityAlgorithms.RsaSha512,
        SecurityAlgorithms.RsaSsaPssSha256, SecurityAlgorithms.RsaSsaPssSha384, SecurityAlgorithms.RsaSsaPssSha512,
        SecurityAlgorithms.EcdsaSha256, SecurityAlgorithms.EcdsaSha384, SecurityAlgorithms.EcdsaSha512,
    ];

    private readonly JwtOptions _options;
    private readonly IJwtKeySource _source;
    private readonly TimeProvider _time;
    private readonly JsonWebTokenHandler _handler = new() { MaximumTokenSizeInBytes = MaxToken };
    private readonly ConcurrentDictionary<string, Kept> _kept = new(StringComparer.Ordinal);

    /// <summary>Begins.</summary>
    public JwtVerifier(JwtOptions options, IJwtKeySource source, TimeProvider time) => (_options, _source, _time) = (options, source, time);

    /// <summary>Whether a text has the form of such a token: three parts with dots between.</summary>
    public static bool HasForm(string token) => token.AsSpan().Count('.') == 2;

    /// <summary>Who shows a token.</summary>
    /// <param name="token">The token.</param>
    /// <param name="stop">Waits no longer.</param>
    /// <returns>The caller, or why it is not believed.</returns>
    public async ValueTask<(JwtCaller? Caller, JwtRefusal Refusal)> VerifyAsync(string token, CancellationToken stop)
    {
        if (token.Length > MaxToken || !HasForm(token))
        {
            return (null, JwtRefusal.NotReadable);
        }

        if (_source.IsOld)
        {
            await _source.RenewAsync(stop);
        }

        JwtKeys? keys = _source.Current;
        string hash = Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(token)));
        if (_kept.TryGetValue(hash, out Kept? kept)
            && kept.Keys == keys
            && IsInTime(null, kept.Until))
        {
            return (kept.Caller, JwtRefusal.None);
        }

        if (Read(token) is not { } read)
        {
            return (null, JwtRefusal.NotReadable);
        }

        if (Array.IndexOf(s_algorithms, read.Alg) < 0 || read.TryGetHeaderValue("crit", out object _))
        {
            return (null, JwtRefusal.Algorithm);
        }

        if (keys is null || !keys.Knows(read.Kid))
        {
            await _source.RenewAsync(stop);
            keys = _source.Current;
        }

        return keys is null ? (null, JwtRefusal.NoKeys) : await VerifyAsync(read, keys, hash);
    }

    /// <inheritdoc/>
    public void Dispose() => _source.Dispose();

    private async ValueTask<(JwtCaller? Caller, JwtRefusal Refusal)> VerifyAsync(JsonWebToken read, JwtKeys keys, string hash)
    {
        JsonWebKey[] candidates = [.. keys.For(read.Kid, read.Alg)];
        if (candidates.Length == 0)
        {
            return (null, JwtRefusal.UnknownKey);
        }

        TokenValidationResult result = await _handler.ValidateTokenAsync(read, Parameters(candidates));
        if (!result.IsValid)
        {
            return (null, ReasonOf(result.Exception));
        }

        JwtRefusal refusal = CallerOf(read, out JwtCaller? caller);
        if (caller is not null)
        {
            Keep(hash, new Kept(caller, keys, read.ValidTo));
        }

        return (caller, refusal);
    }

    private static JsonWebToken? Read(string token)
    {
        try
        {
            string[] parts = token.Split('.');
            return IsText(parts[0]) && IsText(parts[1]) ? new JsonWebToken(token) : null;
        }
        catch (Exception error) when (error is ArgumentException or FormatException or JsonException or SecurityTokenException)
        {
            return null;
        }
    }

    // The library reads some strings when they are asked for, and throws what nobody expects at one that is no text: bytes that are no
    // UTF-8, or half a character. So all are read before.
    private static bool IsText(string part)
    {
        var reader = new Utf8JsonReader(Base64UrlEncoder.DecodeBytes(part));
        try
        {
            while (reader.Read())
            {
                _ = reader.TokenType is JsonTokenType.PropertyName or JsonTokenType.String ? reader.GetString() : null;
            }

            return true;
        }
        catch (InvalidOperationException)
        {
            return false;
        }
    }

    private static JwtRefusal ReasonOf(Exception? error) => error switch
    {
        SecurityTokenInvalidIssuerException => JwtRefusal.Issuer,
        SecurityTokenInvalidAudienceException => JwtRefusal.Audience,
        SecurityTokenInvalidLifetimeException or SecurityTokenNoExpirationException => JwtRefusal.Time,
        _ => JwtRefusal.Signature,
    };

    private TokenValidationParameters Parameters(IEnumerable<SecurityKey> keys) => new()
    {
        IssuerSigningKeys = keys,
        TryAllIssuerSigningKeys = true,
        ValidAlgorithms = s_algorithms,
        ValidIssuer = _options.Issuer,
        ValidAudience = _options.Audience,
        LifetimeValidator = (from, until, _, _) => IsInTime(from, until),
    };

    private bool IsInTime(DateTime? from, DateTime? until)
    {
        DateTime now = _time.GetUtcNow().UtcDateTime;
        bool hasBegun = from is not { } begin || now + Skew >= begin; // What a token says may be the first or the last time there is.
        return hasBegun && until is { } end && now - Skew < end;
    }

    private JwtRefusal CallerOf(JsonWebToken token, out JwtCaller? caller)
    {
        caller = null;
        if (!token.TryGetPayloadValue(JwtRegisteredClaimNames.Sub, out string subject) || string.IsNullOrEmpty(subject))
        {
            return JwtRefusal.Subject;
        }

        if (MethodsOf(token) is not { } methods)
        {
            return JwtRefusal.Methods;
        }

        caller = new JwtCaller(JwtNames.Of(_options.Issuer, subject), methods);
        return JwtRefusal.None;
    }

    // A list of texts, or one text with spaces between as that of scopes (RFC 8693, 4.2).
    private IngressMethods? MethodsOf(JsonWebToken token)
    {
        if (_options.MethodsClaim.Length == 0)
        {
            return IngressMethods.All;
        }

        string[] names = !token.TryGetPayloadValue(_options.MethodsClaim, out object said) ? []
            : said is string text ? text.Split(' ', StringSplitOptions.RemoveEmptyEntries)
            : token.TryGetPayloadValue(_options.MethodsClaim, out string[] list) ? list : [];
        return names.Length == 0 ? null : IngressMethods.TryParse(string.Join(',', names));
    }

    private void Keep(string hash, Kept kept)
    {
        if (_kept.Count >= MaxKept)
        {
            foreach ((string old, Kept one) in _kept)
            {
                if (!IsInTime(null, one.Until) || one.Keys != kept.Keys)
                {
                    _kept.TryRemove(old, out _);
                }
            }

            if (_kept.Count >= MaxKept)
            {
                _kept.Clear();
            }
        }

        _kept[hash] = kept;
    }

    private sealed record Kept(JwtCaller Caller, JwtKeys Keys, DateTime Until);
}
