using System.Security.Cryptography;
using System.Text;
using System.Text.Json.Nodes;
using Ambrosia.CoordinatorHost.Jwt;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.Fuzz.Tests.Engine;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>
/// A JSON Web Token of anybody: header and claims are the lines of the input, signed by the issuer's key one time in two. A refusal has a
/// reason, and what is believed is a name.
/// </summary>
internal sealed class JwtTarget : FuzzTarget
{
    private static readonly ECDsa s_key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
    private readonly JwtVerifier _verifier = new(
        new JwtOptions { Issuer = "i", Audience = "a", Keys = "k", MethodsClaim = "m" }, new Keys(), TimeProvider.System);

    public override string Name => "tokens";

    public override int Weight => 1;

    public override long AllocationBase => 512 * 1024;

    public override int AllocationFactor => 512;

    public override IReadOnlyList<byte[]> Words =>
    [
        .. """
            "alg":"ES256"|"alg":"none"|"alg":"HS256"|"kid":"2"|"crit":["exp"]|"typ":"JWT"|"zip":"DEF"|"jku":"http://127.0.0.1/"|"jwk":{|"iss":"i"|"aud":["a"]|"sub":"s"|"exp":1e30|"exp":-1|"exp":99999999999999999999|"exp":"x"|"nbf":1|"m":["A"]|"m":"A B"|null|[|]|{|}|,|"\ud800"
            """.Trim().Split('|').Select(Encoding.UTF8.GetBytes),
        "\n"u8.ToArray(),
    ];

    public override IEnumerable<byte[]> Seeds() =>
    [
        """
        {"alg":"ES256","kid":"1"}
        {"iss":"i","aud":"a","sub":"s","exp":4102444800,"m":["A"]}
        """u8.ToArray(),
        """
        {"alg":"ES256"}
        {"iss":"i","aud":["b","a"],"sub":"s","exp":4102444800,"nbf":1,"m":"A B"}
        """u8.ToArray(),
        """
        {"alg":"RS256","kid":"1"}
        {"iss":"j","aud":"a","exp":1}
        """u8.ToArray(),
        "{}\n{}"u8.ToArray(), [],
    ];

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        int line = input.Span.IndexOf((byte)'\n');
        string signed = line < 0 ? Text(input.Span) : $"{Text(input.Span[..line])}.{Text(input.Span[(line + 1)..])}";
        string token = line < 0 ? Encoding.Latin1.GetString(input.Span) : random.OneIn(2) ? $"{signed}.AAAA"
            : $"{signed}.{Text(s_key.SignData(Encoding.ASCII.GetBytes(signed), HashAlgorithmName.SHA256))}";
        (JwtCaller? caller, JwtRefusal refusal) = _verifier.VerifyAsync(token, default).AsTask().GetAwaiter().GetResult();
        Require(caller is null == (refusal != JwtRefusal.None), "a caller, or a reason");
        Require(caller is null || (caller.Name.Length is > 0 and <= 255 && caller.Name.All(static c => c is > ' ' and <= '~')), "a name");
        return caller is null ? refusal.ToString() : Accepted;
    }

    private static string Text(ReadOnlySpan<byte> bytes) =>
        Convert.ToBase64String(bytes).TrimEnd('=').Replace('+', '-').Replace('/', '_');

    private sealed class Keys : IJwtKeySource
    {
        public JwtKeys? Current { get; } = Make();

        public Task RenewAsync(CancellationToken stop) => Task.CompletedTask;

        public void Dispose()
        {
        }

        private static JwtKeys Make()
        {
            ECPoint point = s_key.ExportParameters(false).Q;
            return JwtKeys.Parse(new JsonObject
            {
                ["keys"] = new JsonArray(new JsonObject
                    { ["kty"] = "EC", ["crv"] = "P-256", ["kid"] = "1", ["x"] = Text(point.X), ["y"] = Text(point.Y) }),
            }.ToJsonString());
        }
    }
}
