using System.Collections.Concurrent;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json.Nodes;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>Issues tokens with no library: what is verified with one is made without it.</summary>
internal sealed class Issuer
{
    public const string Name = "https://login.example";
    public const string Audience = "shop";

    // By the name of who has them: making one takes a while.
    private static readonly ConcurrentDictionary<string, (RSA Rsa, ECDsa Ec)> s_keys = new();
    private readonly RSA _rsa;
    private readonly ECDsa _ec;
    private readonly string _id;

    /// <param name="id">What its keys are called.</param>
    /// <param name="owner">Who has them; null for who has the name.</param>
    public Issuer(string id = "one", string? owner = null)
    {
        _id = id;
        (_rsa, _ec) = s_keys.GetOrAdd(owner ?? id, static _ => (RSA.Create(2048), ECDsa.Create(ECCurve.NamedCurves.nistP256)));
    }

    public RSA Rsa => _rsa;

    public string KeySet => Set(RsaKey(_rsa, $"{_id}-rsa"), EcKey($"{_id}-ec"));

    public static string Set(params JsonObject[] keys) => new JsonObject { ["keys"] = new JsonArray([.. keys]) }.ToJsonString();

    public static JsonObject RsaKey(RSA rsa, string id)
    {
        RSAParameters parts = rsa.ExportParameters(false);
        return new JsonObject { ["kty"] = "RSA", ["kid"] = id, ["n"] = Text(parts.Modulus!), ["e"] = Text(parts.Exponent!) };
    }

    public JsonObject EcKey(string id)
    {
        ECParameters parts = _ec.ExportParameters(false);
        return new JsonObject
        {
            ["kty"] = "EC", ["crv"] = "P-256", ["kid"] = id, ["x"] = Text(parts.Q.X!), ["y"] = Text(parts.Q.Y!),
        };
    }

    /// <summary>Claims that are believed at a time; more, or others, by name, and null takes one away.</summary>
    public static JsonObject Claims(DateTimeOffset now, params (string Name, JsonNode? Value)[] more)
    {
        var claims = new JsonObject
        {
            ["iss"] = Name, ["aud"] = Audience, ["sub"] = "ann", ["exp"] = now.AddMinutes(5).ToUnixTimeSeconds(),
        };
        foreach ((string name, JsonNode? value) in more)
        {
            claims.Remove(name);
            if (value is not null)
            {
                claims[name] = value;
            }
        }

        return claims;
    }

    /// <summary>A token.</summary>
    /// <param name="claims">What it says.</param>
    /// <param name="algorithm">How it is signed.</param>
    /// <param name="header">More of its header, or others; null takes one away.</param>
    public string Token(JsonObject claims, string algorithm = "RS256", params (string Name, JsonNode? Value)[] header)
    {
        var head = new JsonObject { ["alg"] = algorithm, ["typ"] = "JWT", ["kid"] = $"{_id}-{(algorithm[0] == 'E' ? "ec" : "rsa")}" };
        foreach ((string name, JsonNode? value) in header)
        {
            head.Remove(name);
            if (value is not null)
            {
                head[name] = value;
            }
        }

        string signed = $"{Text(Encoding.UTF8.GetBytes(head.ToJsonString()))}.{Text(Encoding.UTF8.GetBytes(claims.ToJsonString()))}";
        return $"{signed}.{Text(Sign(algorithm, Encoding.ASCII.GetBytes(signed)))}";
    }

    private byte[] Sign(string algorithm, byte[] bytes)
    {
        HashAlgorithmName hash = algorithm switch
        {
            [.., '3', '8', '4'] => HashAlgorithmName.SHA384,
            [.., '5', '1', '2'] => HashAlgorithmName.SHA512,
            _ => HashAlgorithmName.SHA256,
        };
        return algorithm[..2] switch
        {
            "RS" => _rsa.SignData(bytes, hash, RSASignaturePadding.Pkcs1),
            "PS" => _rsa.SignData(bytes, hash, RSASignaturePadding.Pss),
            "ES" => _ec.SignData(bytes, hash, DSASignatureFormat.IeeeP1363FixedFieldConcatenation),
            // The old trick: the public key, which everybody has, taken for a shared secret.
            "HS" => HMACSHA256.HashData(Encoding.ASCII.GetBytes(_rsa.ExportSubjectPublicKeyInfoPem()), bytes),
            _ => [],
        };
    }

    public static string Text(byte[] bytes) => Convert.ToBase64String(bytes).TrimEnd('=').Replace('+', '-').Replace('/', '_');
}
