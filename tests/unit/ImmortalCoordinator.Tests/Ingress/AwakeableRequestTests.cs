using System.Net;
using System.Security.Cryptography;
using System.Text;
using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>What is told of completions of awakeables: docs/internals/outside-calls.md X29.</summary>
public sealed class AwakeableRequestTests
{
    private const string Shapes = """
        {"interface":"Shop.IShop","methods":[],"types":[],"awakeables":[{"id":7,"name":"Decision","type":"#0",
        "types":[{"name":"Decision","members":[{"name":"Approved","type":"bool","needed":true}]}]}]}
        """;

    private const string Yes = """{"Approved":true}""";

    [Fact]
    public async Task The_value_reaches_the_app_as_MessagePack_and_a_repeat_does_not()
    {
        await using IngressUnderTest ingress = await StartAsync();
        for (int tries = 0; tries < 2; tries++)
        {
            IngressUnderTest.Answer answer = await PostAsync(ingress, Yes);
            Assert.Equal((HttpStatusCode.OK, "{\"taken\":true}\n"), (answer.Status, answer.Text));
        }

        Assert.Equal([0x81, 0xa8, .. "Approved"u8, 0xc3], Assert.Single(ingress.Awakeables.Taken));
    }

    [Fact]
    public async Task A_token_is_not_asked_for_and_opens_nothing()
    {
        string path = Path.GetTempFileName();
        try
        {
            await File.WriteAllTextAsync(path, $"webshop {Convert.ToHexString(SHA256.HashData("secret"u8))}\n");
            await using IngressUnderTest ingress = await StartAsync(IngressTokens.Load(path, TimeProvider.System, NullLogger.Instance));
            Assert.Equal(HttpStatusCode.OK, (await PostAsync(ingress, Yes)).Status);
            Assert.Equal("IC-7019", (await PostAsync(ingress, Yes, id: "AAAA", token: "secret")).Code);
            Assert.Equal("IC-7013", (await ingress.GetAsync("/v1/calls/1")).Code);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public async Task What_the_app_says_decides()
    {
        await using IngressUnderTest ingress = await StartAsync();
        ingress.Awakeables.Says = FakeAwakeables.Value(AwakeableCompletion.NotOpen);
        Require(HttpStatusCode.Gone, "IC-7020", await PostAsync(ingress, Yes));
        ingress.Awakeables.Kept.Clear();
        ingress.Awakeables.Says = FakeAwakeables.Value([0xa3, .. "why"u8]);
        IngressUnderTest.Answer refused = await PostAsync(ingress, Yes);
        Require(HttpStatusCode.UnprocessableEntity, "IC-7021", refused);
        Assert.Contains("why", refused.Detail, StringComparison.Ordinal);
        ingress.Awakeables.Kept.Clear();
        ingress.Awakeables.Says = new OutsideReply(OutsideReplyKind.Accepted);
        IngressUnderTest.Answer accepted = await PostAsync(ingress, Yes);
        Assert.Equal((HttpStatusCode.Accepted, $"/v1/awakeables/{FakeAwakeables.Id()}"), (accepted.Status, accepted.Location));
        ingress.Awakeables.Kept.Clear();
        ingress.Awakeables.Says = new OutsideReply(OutsideReplyKind.Full);
        Require(HttpStatusCode.TooManyRequests, "IC-7006", await PostAsync(ingress, Yes));
        ingress.Awakeables.Refuses = OutsideReplyKind.Unavailable;
        Require(HttpStatusCode.ServiceUnavailable, "IC-7007", await PostAsync(ingress, Yes));
    }

    [Fact] // X24
    public async Task What_an_earlier_version_has_taken_stays_taken()
    {
        await using IngressUnderTest ingress = await StartAsync();
        Assert.Equal(HttpStatusCode.OK, (await PostAsync(ingress, Yes)).Status);
        ingress.Told.Tell(Shapes.Replace("\"bool\"", "\"int32\"", StringComparison.Ordinal));
        Assert.Equal(HttpStatusCode.OK, (await PostAsync(ingress, Yes)).Status);
        Require(HttpStatusCode.UnprocessableEntity, "IC-7021", await PostAsync(ingress, """{"Approved":false}"""));
        Require(HttpStatusCode.UnprocessableEntity, "IC-7021",
            await PostAsync(ingress, """{ "Approved":true}""", id: FakeAwakeables.Id(8).ToString()));
        Assert.Single(ingress.Awakeables.Taken);
    }

    [Fact]
    public async Task Sizes_have_limits()
    {
        await using IngressUnderTest ingress = await StartAsync(limits: IngressLimits.Product with { Body = 10_000 });
        Require(HttpStatusCode.RequestEntityTooLarge, "IC-7014", await PostAsync(ingress, new string(' ', 10_001)));
        string long1 = new('x', 2000), long2 = new('x', AwakeableCompletion.MaxReason + 1);
        Require(HttpStatusCode.RequestEntityTooLarge, "IC-7014", await PostAsync(ingress, $$"""{"reason":"{{long1}}"}""", "/reject"));
        Require(HttpStatusCode.UnprocessableEntity, "IC-7021", await PostAsync(ingress, $$"""{"reason":"{{long2}}"}""", "/reject"));
        await using IngressUnderTest full = await StartAsync(limits: IngressLimits.Product with { RequestsOfOne = 0 });
        Require(HttpStatusCode.TooManyRequests, "IC-7015", await PostAsync(full, Yes));
        Require(HttpStatusCode.NotFound, "IC-7019", await PostAsync(full, Yes, id: "AAAA"));
    }

    private static void Require(HttpStatusCode status, string code, IngressUnderTest.Answer answer) =>
        Assert.Equal((status, code), (answer.Status, answer.Code));

    private static Task<IngressUnderTest.Answer> PostAsync(
        IngressUnderTest ingress, string body, string action = "", string? id = null, string? token = null) =>
        ingress.SendAsync(
            HttpMethod.Post, $"/v1/awakeables/{id ?? FakeAwakeables.Id().ToString()}{action}", body, null, token, "application/json");

    private static async Task<IngressUnderTest> StartAsync(IngressTokens? tokens = null, IngressLimits? limits = null)
    {
        IngressUnderTest ingress = await IngressUnderTest.StartAsync(limits, tokens);
        ingress.Told.Tell(Shapes);
        return ingress;
    }
}
