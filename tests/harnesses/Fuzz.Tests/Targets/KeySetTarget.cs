using System.Text;
using Ambrosia.CoordinatorHost.Jwt;
using Ambrosia.Fuzz.Tests.Engine;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>The keys of an issuer of tokens, from a file or from somebody's server.</summary>
internal sealed class KeySetTarget : FuzzTarget
{
    public const string Ec = """
        {"kty":"EC","crv":"P-256","kid":"1","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
        """;

    public override string Name => "key-sets";

    public override int Weight => 1;

    public override int Largest => 1024;

    public override long AllocationBase => 128 * 1024;

    public override int AllocationFactor => 512;

    public override IReadOnlyList<byte[]> Words =>
    [
        .. """
            "keys":[|"kty":"RSA"|"kty":"EC"|"kty":"oct"|"crv":"P-384"|"kid":|"use":"enc"|"alg":"ES256"|"n":|"e":"AQAB"|"x5c":["AA"]|"key_ops":["sign"]|null|-1|1e999|[|]|{|}|,|"\ud800"
            """.Trim().Split('|').Select(Encoding.UTF8.GetBytes),
    ];

    public override IEnumerable<byte[]> Seeds() =>
    [
        Encoding.UTF8.GetBytes($$"""{"keys":[{{Ec}}]}"""),
        Encoding.UTF8.GetBytes($$"""{"keys":[{{Ec}},{"kty":"oct","k":"AAAA"},{"kty":"RSA","n":"{{new string('x', 342)}}","e":"AQAB"}]}"""),
        """{"keys":[]}"""u8.ToArray(), "[]"u8.ToArray(),
    ];

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        try
        {
            JwtKeys keys = JwtKeys.Parse(Encoding.UTF8.GetString(input.Span));
            Require(keys.Count is > 0 and <= 100, "a set has keys, and not too many");
            Require(keys.Knows(null) && !keys.Knows("a name that no key has"), "only keys that are there are known");
            return Accepted;
        }
        catch (FormatException)
        {
            return "refused";
        }
    }
}
