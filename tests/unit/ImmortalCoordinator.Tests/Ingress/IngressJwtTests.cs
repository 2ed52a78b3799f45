using System.Net;
using System.Text.Json.Nodes;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.CoordinatorHost.Jwt;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Gateway;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.V1;
using Grpc.Core;
using Grpc.Net.Client;
using Microsoft.Extensions.Logging.Abstractions;
using static Ambrosia.ImmortalCoordinator.Tests.Ingress.IngressUnderTest;
using OutsideKey = Ambrosia.V1.Key;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>Callers whose tokens somebody else issues, at an instance and through a gateway.</summary>
public sealed class IngressJwtTests : IDisposable
{
    private const string Order42 = IngressUnderTest.Key;
    private const string Ann = "jwt:https://login.example#ann";
    private readonly string _file = Path.Combine(Path.GetTempPath(), $"callers-{Guid.NewGuid():N}");
    private readonly Issuer _issuer = new();

    public void Dispose() => File.Delete(_file);

    [Fact]
    public async Task Each_token_of_a_subject_stands_for_the_same_caller_beside_those_of_the_file()
    {
        const string dotted = "a.b.c";
        await File.WriteAllTextAsync(_file, $"alice {GatewayUnderTest.Hash("one")}\nbob {GatewayUnderTest.Hash(dotted)}\n");
        IngressTokens file = IngressTokens.Load(_file, TimeProvider.System, NullLogger.Instance);
        await using IngressUnderTest ingress = await StartAsync(tokens: file, jwt: Verifier());
        string[] tokens = [Token(), Token(("jti", "2")), Token(("sub", "ben")), "one", dotted];
        foreach (string token in tokens)
        {
            Assert.Equal(HttpStatusCode.NoContent, (await ingress.CallAsync("Order", """{"item":"x"}""", Order42, token: token)).Status);
        }

        Assert.Equal(
            [Ann, "jwt:https://login.example#ben", "alice", "bob"],
            ingress.Entrance.Admitted.Select(static call => call.Key!.Value.Caller));
    }

    [Fact]
    public async Task What_is_not_believed_learns_nothing_and_only_the_log_says_why_without_the_token()
    {
        using var log = new KeptLog();
        await using IngressUnderTest ingress = await StartAsync(jwt: Verifier(), log: log);
        DateTimeOffset past = DateTimeOffset.UtcNow.AddHours(-1);
        string[] tokens = ["none", "x", "a.b.c", Token(("aud", "bank")), Token(("aud", "bank")), Token(("exp", past.ToUnixTimeSeconds()))];
        foreach (string token in tokens)
        {
            Answer answer = await ingress.CallAsync("Order", "{", token: token);
            Assert.Equal((HttpStatusCode.Unauthorized, "IC-7013"), (answer.Status, answer.Code));
            Assert.Equal((await ingress.CallAsync("Order", "{")).Text, answer.Text);
        }

        string[] lines = [.. log.Lines.All.Where(static line => line.Contains("not believed", StringComparison.Ordinal))];
        Assert.Equal(3, lines.Length); // Of each reason the first.
        Assert.Contains(lines, static line => line.Contains("another audience", StringComparison.Ordinal));
        Assert.Contains(lines, static line => line.Contains("expired", StringComparison.Ordinal));
        Assert.All(lines, line => Assert.All(tokens[3..], token => Assert.DoesNotContain(token, line, StringComparison.Ordinal)));
        Assert.Empty(ingress.Entrance.Admitted);
    }

    [Fact]
    public async Task While_no_keys_were_read_a_caller_is_told_to_come_again()
    {
        var source = new FakeKeySource(null);
        await using IngressUnderTest ingress = await StartAsync(jwt: new JwtVerifier(Options(), source, TimeProvider.System));
        Answer answer = await ingress.CallAsync("Order", """{"item":"x"}""", Order42, token: Token());
        Assert.Equal((HttpStatusCode.ServiceUnavailable, "IC-7007"), (answer.Status, answer.Code));
        source.Next = _issuer.KeySet;
        Assert.Equal(HttpStatusCode.NoContent, (await ingress.CallAsync("Order", """{"item":"x"}""", Order42, token: Token())).Status);
    }

    [Fact]
    public async Task The_claim_of_methods_is_what_a_caller_may_call()
    {
        await using IngressUnderTest ingress = await StartAsync(jwt: Verifier("may"));
        string token = Token(("may", "Order"));
        Assert.Equal(HttpStatusCode.NoContent, (await ingress.CallAsync("Order", """{"item":"x"}""", token: token)).Status);
        Assert.Equal("IC-7010", (await ingress.CallAsync("Add", """{"number":1}""", token: token)).Code);
        Assert.Equal(HttpStatusCode.Unauthorized, (await ingress.CallAsync("Order", """{"item":"x"}""", token: Token())).Status);
    }

    [Fact]
    public async Task Over_gRPC_it_is_the_same()
    {
        await using IngressUnderTest ingress = await StartAsync(jwt: Verifier());
        using var channel = GrpcChannel.ForAddress(ingress.Address);
        var client = new V1.Ingress.IngressClient(channel);
        var call = new CallRequest { Instance = "shop", Method = "Order", Json = """{"item":"x"}""" };
        call.Key = new OutsideKey { Text = "order-42", Made = 1_795_439_000_000 };
        await client.CallAsync(call, new Metadata { { "authorization", $"Bearer {Token()}" } });
        Assert.Equal(Ann, Assert.Single(ingress.Entrance.Admitted).Key!.Value.Caller);
        RpcException refused = await Assert.ThrowsAsync<RpcException>(
            async () => await client.CallAsync(call, new Metadata { { "authorization", $"Bearer {Token(("aud", "bank"))}" } }));
        Assert.Equal(StatusCode.Unauthenticated, refused.StatusCode);
    }

    [Fact]
    public async Task A_gateway_tells_an_instance_who_calls()
    {
        string keys = Path.Combine(Path.GetTempPath(), $"keys-{Guid.NewGuid():N}");
        await File.WriteAllTextAsync(keys, _issuer.KeySet);
        try
        {
            await using GatewayUnderTest gateway = await GatewayUnderTest.StartAsync(
                options => options with { Jwt = Options("may") with { Keys = keys } });
            await using IngressUnderTest shop = await gateway.AddAsync();
            string token = Token(("may", new JsonArray("Order")));
            Assert.Equal(204, (await gateway.OrderAsync(Order42, token)).Status);
            Assert.Equal(204, (await gateway.OrderAsync(Order42, "one")).Status);
            Assert.Equal([Ann, "alice"], shop.Entrance.Admitted.Select(static call => call.Key!.Value.Caller));
            Assert.Equal(
                404, (await gateway.SendAsync(HttpMethod.Post, "/v1/immortals/shop/Add", """{"number":1}""", token: token)).Status);
            Assert.Equal(401, (await gateway.OrderAsync(Order42, Token(("aud", "bank"), ("may", "Order")))).Status);
            // A name that belongs to an issuer's callers is nobody else's.
            Assert.Equal(401, (await gateway.OrderAsync(Order42, token, "shop", ("Ambrosia-Caller", Ann))).Status);
        }
        finally
        {
            File.Delete(keys);
        }
    }

    private static JwtOptions Options(string claim = "") =>
        new() { Issuer = Issuer.Name, Audience = Issuer.Audience, Keys = "x", MethodsClaim = claim };

    private JwtVerifier Verifier(string claim = "") => new(Options(claim), new FakeKeySource(_issuer.KeySet), TimeProvider.System);

    private string Token(params (string Name, JsonNode? Value)[] more) => _issuer.Token(Issuer.Claims(DateTimeOffset.UtcNow, more));
}
