using System.Text.Json;
using Microsoft.IdentityModel.Tokens;

namespace Ambrosia.CoordinatorHost.Jwt;

/// <summary>Keys of an issuer by which signatures are verified.</summary>
internal sealed class JwtKeys
{
    private const int MaxKeys = 100;
    private const int MinRsaBits = 2048;
    private readonly List<JsonWebKey> _keys;

    private JwtKeys(List<JsonWebKey> keys) => _keys = keys;

    /// <summary>How many there are.</summary>
    public int Count => _keys.Count;

    /// <summary>
    /// Reads a JSON Web Key Set (RFC 7517). Keys of other kinds, for other uses and too short ones are left out, as it asks for.
    /// </summary>
    /// <exception cref="FormatException">It is none, or has no usable key.</exception>
    public static JwtKeys Parse(string text)
    {
        JsonWebKeySet set;
        try
        {
            set = new JsonWebKeySet(text);
        }
        catch (Exception error) when (error is JsonException or ArgumentException or FormatException or InvalidOperationException)
        {
            throw new FormatException("it is no JSON Web Key Set", error);
        }

        List<JsonWebKey> usable = [.. set.Keys.Where(IsUsable).Take(MaxKeys)];
        return usable.Count > 0 ? new JwtKeys(usable) : throw new FormatException(
            "it has no key that signatures can be verified with: RSA of 2,048 bits or more, or EC of P-256, P-384 or P-521");
    }

    /// <summary>Keys that may have signed a token.</summary>
    /// <param name="id">What the token calls its key; null or empty if it does not say.</param>
    /// <param name="algorithm">How it is signed.</param>
    public IEnumerable<JsonWebKey> For(string? id, string algorithm) => _keys.Where(key =>
        (string.IsNullOrEmpty(id) || key.Kid == id) && (string.IsNullOrEmpty(key.Alg) || key.Alg == algorithm));

    /// <summary>Whether there is a key of this name.</summary>
    public bool Knows(string? id) => string.IsNullOrEmpty(id) || _keys.Exists(key => key.Kid == id);

    private static bool IsUsable(JsonWebKey key)
    {
        if (!string.IsNullOrEmpty(key.Use) && key.Use != JsonWebKeyUseNames.Sig)
        {
            return false;
        }

        try
        {
            return key.Kty switch
            {
                JsonWebAlgorithmsKeyTypes.RSA => BytesOf(key.N) * 8 >= MinRsaBits && BytesOf(key.E) > 0,
                JsonWebAlgorithmsKeyTypes.EllipticCurve =>
                    key.Crv is JsonWebKeyECTypes.P256 or JsonWebKeyECTypes.P384 or JsonWebKeyECTypes.P521
                    && BytesOf(key.X) > 0 && BytesOf(key.Y) > 0,
                _ => false,
            };
        }
        catch (FormatException)
        {
            return false;
        }
    }

    private static int BytesOf(string? text) => string.IsNullOrEmpty(text) ? 0 : Base64UrlEncoder.DecodeBytes(text).Length;
}
