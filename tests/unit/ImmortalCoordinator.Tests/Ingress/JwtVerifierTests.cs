using System.Security.Cryptography;
using System.Text.Json.Nodes;
using Ambrosia.CoordinatorHost.Jwt;
using Ambrosia.CoordinatorHost.Options;
using static Ambrosia.ImmortalCoordinator.Tests.Ingress.Issuer;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>Which JSON Web Tokens are believed. Each refusal is of a token that would be believed but for one thing.</summary>
public sealed class JwtVerifierTests
{
    private static readonly DateTimeOffset s_now = new(2026, 11, 27, 12, 0, 0, TimeSpan.Zero);
    private readonly Issuer _issuer = new();
    private readonly FixedTime _time = new() { Now = s_now };

    [Theory]
    [InlineData("RS256")]
    [InlineData("RS384")]
    [InlineData("RS512")]
    [InlineData("PS256")]
    [InlineData("PS384")]
    [InlineData("PS512")]
    [InlineData("ES256")]
    public async Task A_token_of_the_issuer_is_believed(string algorithm)
    {
        using JwtVerifier verifier = Verifier(new FakeKeySource(_issuer.KeySet));
        (JwtCaller? caller, JwtRefusal refusal) = await verifier.VerifyAsync(_issuer.Token(Claims(s_now), algorithm), default);
        Assert.Equal(("jwt:https://login.example#ann", "all", JwtRefusal.None), (caller?.Name, caller?.Methods.ToString(), refusal));
    }

    [Fact]
    public async Task A_list_of_audiences_may_name_others_too_and_a_token_need_not_say_its_key()
    {
        using JwtVerifier verifier = Verifier(new FakeKeySource(_issuer.KeySet));
        JsonObject claims = Claims(s_now, ("aud", new JsonArray("bank", Audience)));
        Assert.NotNull((await verifier.VerifyAsync(_issuer.Token(claims, "ES256", ("kid", null)), default)).Caller);
    }

    [Theory]
    [InlineData("iss", nameof(JwtRefusal.Issuer))]
    [InlineData("no iss", nameof(JwtRefusal.Issuer))]
    [InlineData("iss/", nameof(JwtRefusal.Issuer))]
    [InlineData("aud", nameof(JwtRefusal.Audience))]
    [InlineData("no aud", nameof(JwtRefusal.Audience))]
    [InlineData("aud list", nameof(JwtRefusal.Audience))]
    [InlineData("no sub", nameof(JwtRefusal.Subject))]
    [InlineData("empty sub", nameof(JwtRefusal.Subject))]
    [InlineData("sub list", nameof(JwtRefusal.NotReadable))]
    [InlineData("no exp", nameof(JwtRefusal.Time))]
    [InlineData("none", nameof(JwtRefusal.Algorithm))]
    [InlineData("hs256", nameof(JwtRefusal.Algorithm))]
    [InlineData("crit", nameof(JwtRefusal.Algorithm))]
    [InlineData("alg of other key", nameof(JwtRefusal.UnknownKey))]
    [InlineData("unknown key", nameof(JwtRefusal.UnknownKey))]
    [InlineData("other", nameof(JwtRefusal.Signature))]
    [InlineData("other without kid", nameof(JwtRefusal.Signature))]
    [InlineData("no signature", nameof(JwtRefusal.Signature))]
    [InlineData("tampered claims", nameof(JwtRefusal.Signature))]
    [InlineData("two parts", nameof(JwtRefusal.NotReadable))]
    [InlineData("five parts", nameof(JwtRefusal.NotReadable))]
    [InlineData("too long", nameof(JwtRefusal.NotReadable))]
    [InlineData("no json", nameof(JwtRefusal.NotReadable))]
    public async Task Any_other_is_not(string what, string expected)
    {
        var other = new Issuer(owner: "another issuer");
        string good = _issuer.Token(Claims(s_now));
        string[] parts = good.Split('.');
        string token = what switch
        {
            "iss" => _issuer.Token(Claims(s_now, ("iss", "https://evil.example"))),
            "no iss" => _issuer.Token(Claims(s_now, ("iss", null))),
            "iss/" => _issuer.Token(Claims(s_now, ("iss", Name + "/"))),
            "aud" => _issuer.Token(Claims(s_now, ("aud", "bank"))),
            "no aud" => _issuer.Token(Claims(s_now, ("aud", null))),
            "aud list" => _issuer.Token(Claims(s_now, ("aud", new JsonArray("bank", "shops")))),
            "no sub" => _issuer.Token(Claims(s_now, ("sub", null))),
            "empty sub" => _issuer.Token(Claims(s_now, ("sub", ""))),
            "sub list" => _issuer.Token(Claims(s_now, ("sub", new JsonArray("ann")))),
            "no exp" => _issuer.Token(Claims(s_now, ("exp", null))),
            "none" => _issuer.Token(Claims(s_now), "none"),
            "hs256" => _issuer.Token(Claims(s_now), "HS256"),
            "crit" => _issuer.Token(Claims(s_now), "RS256", ("crit", new JsonArray("exp"))),
            "alg of other key" => _issuer.Token(Claims(s_now), "RS512", ("kid", "only-256")),
            "unknown key" => _issuer.Token(Claims(s_now), "RS256", ("kid", "two")),
            "other" => other.Token(Claims(s_now)),
            "other without kid" => other.Token(Claims(s_now), "RS256", ("kid", null)),
            "no signature" => $"{parts[0]}.{parts[1]}.",
            "tampered claims" => $"{parts[0]}.{_issuer.Token(Claims(s_now, ("sub", "ben"))).Split('.')[1]}.{parts[2]}",
            "two parts" => $"{parts[0]}.{parts[1]}",
            "five parts" => $"{good}.{parts[0]}.{parts[1]}",
            "too long" => _issuer.Token(Claims(s_now, ("more", new string('x', 16 << 10)))),
            _ => $"{Convert.ToBase64String("{"u8)}.{parts[1]}.{parts[2]}",
        };
        JsonObject of256 = RsaKey(_issuer.Rsa, "only-256");
        of256["alg"] = "RS256";
        string set = Set([RsaKey(_issuer.Rsa, "one-rsa"), _issuer.EcKey("one-ec"), of256]);
        using JwtVerifier verifier = Verifier(new FakeKeySource(set));
        Assert.Equal((null, Enum.Parse<JwtRefusal>(expected)), await verifier.VerifyAsync(token, default));
        Assert.NotNull((await verifier.VerifyAsync(good, default)).Caller);
    }

    [Theory] // Bytes that are no UTF-8, and half a character, wherever a text may stand; signed by the issuer.
    [InlineData("{'alg':'RS256','kid':'one-rsa','a':'X'}", "")]
    [InlineData("{'alg':'RS256','kid':'one-rsa','X':1}", "")]
    [InlineData("{'alg':'RS256','kid':'X'}", "")]
    [InlineData("{'alg':'X'}", "")]
    [InlineData("{'alg':'RS256','crit':['X']}", "")]
    [InlineData("", "'sub':'X'")]
    [InlineData("", "'sub':'ann','may':'X'")]
    [InlineData("", "'sub':'ann','may':['X']")]
    [InlineData("", "'sub':'ann','may':['Order'],'X':1")]
    [InlineData("", "'sub':'ann','may':['Order'],'more':{'a':[{'X':'X'}]}")]
    [InlineData("", "'sub':'ann','may':['Order'],'jti':'X'")]
    public async Task One_with_a_text_that_is_none_is_not_readable(string header, string claims)
    {
        header = header.Length > 0 ? header : "{'alg':'RS256','kid':'one-rsa'}";
        claims = claims.Length > 0 ? claims : "'sub':'ann','may':['Order']";
        claims = $"{{'iss':'{Name}','aud':'{Audience}','exp':{s_now.AddMinutes(5).ToUnixTimeSeconds()},{claims}}}";
        foreach (byte[] wrong in new[] { new byte[] { 0xfe }, [0xc3], "\\ud800"u8.ToArray(), "\\udc00x"u8.ToArray(), "good"u8.ToArray() })
        {
            string signed = $"{Part(header, wrong)}.{Part(claims, wrong)}";
            byte[] signature = _issuer.Rsa.SignData(
                System.Text.Encoding.ASCII.GetBytes(signed), HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
            using JwtVerifier verifier = Verifier(new FakeKeySource(_issuer.KeySet), "may");
            (_, JwtRefusal refusal) = await verifier.VerifyAsync($"{signed}.{Issuer.Text(signature)}", default);
            Assert.Equal(wrong[0] == 'g', refusal != JwtRefusal.NotReadable);
        }

        static string Part(string json, byte[] wrong)
        {
            byte[][] pieces = [.. json.Replace('\'', '"').Split('X').Select(System.Text.Encoding.UTF8.GetBytes)];
            return Issuer.Text([.. pieces[0], .. pieces[1..].SelectMany(piece => wrong.Concat(piece))]);
        }
    }

    [Fact]
    public async Task Its_time_counts_with_a_minute_for_clocks_that_differ_and_each_time_it_is_shown()
    {
        using JwtVerifier verifier = Verifier(new FakeKeySource(_issuer.KeySet));
        string token = _issuer.Token(
            Claims(s_now, ("nbf", s_now.AddMinutes(2).ToUnixTimeSeconds()), ("exp", s_now.AddMinutes(5).ToUnixTimeSeconds())));
        foreach ((int seconds, bool isIn) in new[] { (59, false), (60, true), (200, true), (359, true), (360, false), (4000, false) })
        {
            _time.Now = s_now.AddSeconds(seconds);
            (JwtCaller? caller, JwtRefusal refusal) = await verifier.VerifyAsync(token, default);
            Assert.Equal((seconds, isIn, isIn ? JwtRefusal.None : JwtRefusal.Time), (seconds, caller is not null, refusal));
        }
    }

    [Theory] // The last second that a clock can show, and what no clock can.
    [InlineData("exp", 253402300799, true)]
    [InlineData("exp", 253402300800, null)]
    [InlineData("exp", long.MaxValue, null)]
    [InlineData("exp", -62135596800, false)]
    [InlineData("exp", 0, false)]
    [InlineData("nbf", 253402300799, false)]
    [InlineData("nbf", -62135596800, true)]
    [InlineData("nbf", 0, true)]
    [InlineData("nbf", long.MinValue, null)]
    public async Task A_time_at_the_end_of_all_times_is_a_time(string claim, long seconds, bool? isIn)
    {
        using JwtVerifier verifier = Verifier(new FakeKeySource(_issuer.KeySet));
        string token = _issuer.Token(Claims(s_now, (claim, seconds)));
        for (int time = 0; time < 2; time++)
        {
            (JwtCaller? caller, JwtRefusal refusal) = await verifier.VerifyAsync(token, default);
            Assert.Equal(caller is null, refusal != JwtRefusal.None);
            Assert.True(isIn is null || isIn == caller is not null, $"{refusal}");
        }
    }

    [Fact]
    public async Task A_key_that_is_not_there_is_looked_for_and_one_that_was_taken_away_counts_no_more()
    {
        var next = new Issuer("two");
        var source = new FakeKeySource(_issuer.KeySet) { Next = next.KeySet };
        using JwtVerifier verifier = Verifier(source);
        string old = _issuer.Token(Claims(s_now));
        Assert.NotNull((await verifier.VerifyAsync(old, default)).Caller);
        Assert.Equal(0, source.Renewals);
        Assert.NotNull((await verifier.VerifyAsync(next.Token(Claims(s_now)), default)).Caller);
        Assert.Equal(1, source.Renewals);
        Assert.Equal((null, JwtRefusal.UnknownKey), await verifier.VerifyAsync(old, default)); // Though it was verified before.
    }

    [Fact] // Of a service that was not used for hours.
    public async Task Old_keys_do_not_count_before_newer_ones_were_looked_for()
    {
        var source = new FakeKeySource(_issuer.KeySet);
        using JwtVerifier verifier = Verifier(source);
        string token = _issuer.Token(Claims(s_now));
        Assert.NotNull((await verifier.VerifyAsync(token, default)).Caller);
        (source.IsOld, source.Next) = (true, new Issuer("two").KeySet);
        Assert.Equal((null, JwtRefusal.UnknownKey), await verifier.VerifyAsync(token, default));
    }

    [Fact]
    public async Task Without_keys_nobody_knows()
    {
        var source = new FakeKeySource(null);
        using JwtVerifier verifier = Verifier(source);
        string token = _issuer.Token(Claims(s_now));
        Assert.Equal((null, JwtRefusal.NoKeys), await verifier.VerifyAsync(token, default));
        source.Next = _issuer.KeySet;
        Assert.NotNull((await verifier.VerifyAsync(token, default)).Caller);
    }

    [Fact]
    public async Task A_claim_says_which_methods_may_be_called()
    {
        using JwtVerifier verifier = Verifier(new FakeKeySource(_issuer.KeySet), "may");
        foreach ((JsonNode? value, string? methods) in new (JsonNode?, string?)[]
        {
            (new JsonArray("Order", "Add"), "Order,Add"), ("Order Add", "Order,Add"), ("Order", "Order"), ("all", "all"),
            (null, null), ("", null), (new JsonArray(), null), ("Or-der", null), (new JsonArray("Order", ""), null),
        })
        {
            (JwtCaller? caller, JwtRefusal refusal) = await verifier.VerifyAsync(_issuer.Token(Claims(s_now, ("may", value))), default);
            Assert.Equal((methods, methods is null ? JwtRefusal.Methods : JwtRefusal.None), (caller?.Methods.ToString(), refusal));
        }
    }

    [Fact]
    public void No_two_subjects_have_one_name()
    {
        int room = 255 - "jwt:https://login.example#".Length;
        string longest = JwtNames.Of(Name, new string('x', room));
        Assert.Equal((255, true), (longest.Length, longest.EndsWith('x')));
        string[] subjects = [new string('x', room + 1), new string('x', room + 2), "ann ", " ann", "änn", "ann\n", "a\u0000nn"];
        string[] names = [.. subjects.Select(static subject => JwtNames.Of(Name, subject))];
        Assert.All(names, static name => Assert.StartsWith("jwt-sha256:", name, StringComparison.Ordinal));
        Assert.All(names, static name => Assert.InRange(name.Length, 1, 255));
        Assert.Equal(subjects.Length, names.Distinct().Count());
        Assert.NotEqual(JwtNames.Of("https://a.example", "b"), JwtNames.Of("https://b.example", "b"));
        Assert.All(names, static name => Assert.True(JwtNames.IsTaken(name)));
        Assert.False(JwtNames.IsTaken("jwtann"));
    }

    [Theory]
    [InlineData("")]
    [InlineData("{")]
    [InlineData("[]")]
    [InlineData("{}")]
    [InlineData("""{"keys":[]}""")]
    [InlineData("""{"keys":[{"kty":"oct","k":"AAAA"}]}""")]
    [InlineData("""{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}""")]
    [InlineData("""{"keys":[{"kty":"RSA","n":"!!!!","e":"AQAB"}]}""")]
    [InlineData("""{"keys":[{"kty":"EC","crv":"P-192","x":"AA","y":"AA"}]}""")]
    public void What_is_no_set_of_usable_keys_is_refused(string text) => Assert.Throws<FormatException>(() => JwtKeys.Parse(text));

    [Fact]
    public void Keys_for_other_uses_and_short_ones_are_left_out()
    {
        using var small = RSA.Create(1024);
        JsonObject encrypts = RsaKey(_issuer.Rsa, "enc");
        encrypts["use"] = "enc";
        JsonObject signs = RsaKey(_issuer.Rsa, "sig");
        signs["use"] = "sig";
        Assert.Equal(1, JwtKeys.Parse(Set(RsaKey(small, "small"), encrypts, signs)).Count);
    }

    private JwtVerifier Verifier(IJwtKeySource source, string claim = "") =>
        new(new JwtOptions { Issuer = Name, Audience = Audience, Keys = "x", MethodsClaim = claim }, source, _time);

    private sealed class FixedTime : TimeProvider
    {
        public DateTimeOffset Now { get; set; }

        public override DateTimeOffset GetUtcNow() => Now;
    }
}
