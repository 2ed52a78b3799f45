using System.Net;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.Protocol;
using static Ambrosia.ImmortalCoordinator.Tests.Ingress.IngressUnderTest;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>A call over HTTP is one call for its key, and each way in which it can end has one answer
/// (docs/guide/calls-from-outside.md).</summary>
public sealed class IngressCallTests
{
    [Fact]
    public async Task A_call_becomes_the_apps_arguments_and_its_result_JSON()
    {
        await using IngressUnderTest ingress = await StartAsync();
        ingress.Entrance.Answer = static _ => Value("a5" + "31322e3530"); // The text 12.50.
        Answer answer = await ingress.CallAsync("Order", """{"item":"tea","count":2}""", Key);
        Assert.Equal((HttpStatusCode.OK, "\"12.50\"\n", "application/json"), (answer.Status, answer.Text, answer.Kind));
        OutsideSubmission call = Assert.Single(ingress.Entrance.Admitted);
        Assert.Equal(1, call.Method);
        Assert.Equal("92a374656102", Hex(call.Arguments));
        Assert.Equal(new OutsideKey("local", KeyHash.Of("order-42"), 1_795_439_000_000), call.Key);
    }

    [Fact]
    public async Task A_repeat_is_given_the_answer_of_the_first_and_another_body_is_told_so()
    {
        await using IngressUnderTest ingress = await StartAsync();
        int answers = 0;
        ingress.Entrance.Answer = _ => Value($"{++answers:x2}");
        Answer first = await ingress.CallAsync("Add", """{"number":5}""", Key);
        Answer repeat = await ingress.CallAsync("Shop.IShop.Add", """{"number":5}""", Key);
        Answer other = await ingress.CallAsync("Add", """{"number":6}""", Key);
        Answer otherMethod = await ingress.CallAsync("Add", """{"text":"5"}""", Key);
        Answer spaces = await ingress.CallAsync("IShop.Add", """{"number": 5}""", Key);
        Assert.Equal(("1\n", "1\n"), (first.Text, repeat.Text));
        Assert.All([other, otherMethod, spaces], static answer =>
            Assert.Equal((HttpStatusCode.Conflict, "IC-7003", "True"), (answer.Status, answer.Code, answer.Problem("final"))));
        Assert.Single(ingress.Entrance.Admitted);
    }

    [Fact]
    public async Task Without_a_key_each_is_a_call_of_its_own()
    {
        await using IngressUnderTest ingress = await StartAsync();
        Answer answer = await ingress.CallAsync("Add", """{"text":"x"}""");
        await ingress.CallAsync("Add", """{"text":"x"}""");
        Assert.Equal((HttpStatusCode.NoContent, ""), (answer.Status, answer.Text));
        Assert.Equal(2, ingress.Entrance.Admitted.Count);
        Assert.All(ingress.Entrance.Admitted, static call => Assert.Null(call.Key));
    }

    [Fact]
    public async Task What_takes_too_long_is_accepted_and_asked_for_where_it_says()
    {
        await using IngressUnderTest ingress = await StartAsync();
        ingress.Entrance.Answer = static _ => null;
        string key = "\"a/b \\\"c\\\"\";t=1795439000";
        Answer accepted = await ingress.CallAsync("Paint", """{"colour":"Red"}""", key, "?wait=0");
        Assert.Equal(HttpStatusCode.Accepted, accepted.Status);
        Answer pending = await ingress.GetAsync(accepted.Location + "&wait=1ms");
        Assert.Equal((HttpStatusCode.Accepted, accepted.Location), (pending.Status, pending.Location));
        Task<Answer> asking = ingress.GetAsync(accepted.Location!);
        ingress.Entrance.Complete(Value("02"));
        Assert.Equal((HttpStatusCode.OK, "\"Blue\"\n"), ((await asking).Status, (await asking).Text));
        string bare = accepted.Location![..accepted.Location!.IndexOf('?', StringComparison.Ordinal)];
        Assert.Equal("2\n", (await ingress.GetAsync(bare)).Text); // Nobody said by which method it is to be read.
    }

    [Fact] // X24
    public async Task An_exception_with_half_a_character_is_told()
    {
        await using IngressUnderTest ingress = await StartAsync();
        byte[] bytes = [.. """{"error":["Shop.NoMoney","3 \ud800 missing"]}"""u8];
        ingress.Entrance.Answer = _ => new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Exception, bytes);
        Answer answer = await ingress.CallAsync("Order", """{"item":"x"}""");
        Assert.Equal((HttpStatusCode.UnprocessableEntity, "3 \\ud800 missing"), (answer.Status, answer.Detail));
    }

    [Theory] // X24
    [InlineData(RpcForm.Value, HttpStatusCode.OK)]
    [InlineData(RpcForm.Exception, HttpStatusCode.UnprocessableEntity)]
    public async Task JSON_that_is_no_UTF_8_is_told_as_bytes(RpcForm form, HttpStatusCode expected)
    {
        await using IngressUnderTest ingress = await StartAsync();
        byte[] bytes = [.. "{\"\":\""u8, 0xc0, .. "\"}"u8];
        ingress.Entrance.Answer = _ => new OutsideReply(OutsideReplyKind.Answer, (byte)form, bytes);
        Assert.Equal(expected, (await ingress.CallAsync("Order", """{"item":"x"}""")).Status);
    }

    [Fact] // X24
    public async Task No_exception_is_nested_too_deeply_to_be_told()
    {
        await using IngressUnderTest ingress = await StartAsync();
        foreach (int depth in new[] { 62, 63, 64, 65, 1000 })
        {
            byte[] bytes = [.. Enumerable.Repeat((byte)0x91, depth), 0x90];
            ingress.Entrance.Answer = _ => new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Exception, bytes);
            Assert.Equal(HttpStatusCode.UnprocessableEntity, (await ingress.CallAsync("Order", """{"item":"x"}""")).Status);
        }
    }

    [Fact]
    public async Task A_call_that_is_only_sent_is_accepted_once_it_is_durable()
    {
        await using IngressUnderTest ingress = await StartAsync();
        ingress.Entrance.Answer = static _ => null;
        Answer sent = await ingress.CallAsync("Order", """{"item":"tea"}""", Key, "?mode=send");
        Answer keyless = await ingress.CallAsync("Order", """{"item":"tea"}""", null, "?mode=send");
        Assert.Equal((HttpStatusCode.Accepted, "/v1/calls/%22order-42%22%3Bt%3D1795439000?method=Order"), (sent.Status, sent.Location));
        Assert.Equal((HttpStatusCode.Accepted, null), (keyless.Status, keyless.Location));
    }

    [Theory]
    [InlineData("93ab536f6d654e616d652e4572a36e6f20a5617420582e", "Some")]
    public async Task The_exception_of_a_handler_is_an_answer_without_its_stack_trace(string hex, string type)
    {
        await using IngressUnderTest ingress = await StartAsync();
        byte[] bytes = [0x95, .. Pack("Shop.NoMoneyException"), .. Pack("3 missing"), .. Pack("at Secret.Code()"), 0xc0,
            .. Pack("""{"Missing":3}""")];
        ingress.Entrance.Answer = _ => new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Exception, bytes);
        Answer answer = await ingress.CallAsync("Close", "{}", Key, token: null);
        Assert.Equal(HttpStatusCode.NotFound, answer.Status); // It is not marked.
        answer = await ingress.CallAsync("Order", """{"item":"x"}""", Key);
        Assert.Equal((HttpStatusCode.UnprocessableEntity, "IC-7011", "3 missing", Problem.ContentType),
            (answer.Status, answer.Code, answer.Detail, answer.Kind));
        Assert.Contains("""
            "exception":{"type":"Shop.NoMoneyException","message":"3 missing","data":{"Missing":3}}
            """, answer.Text, StringComparison.Ordinal);
        Assert.DoesNotContain("Secret", answer.Text, StringComparison.Ordinal);
        ingress.Entrance.Answer = _ => new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Exception, Convert.FromHexString(hex));
        Assert.Contains(type, (await ingress.CallAsync("Order", """{"item":"x"}""")).Text, StringComparison.Ordinal);
        ingress.Entrance.Answer = _ => new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Exception, new byte[] { 0xc1 });
        Assert.Equal("IC-7011", (await ingress.CallAsync("Order", """{"item":"x"}""")).Code);
    }

    [Theory]
    [InlineData(OutsideReplyKind.OtherBody, HttpStatusCode.Conflict, "IC-7003", "True")]
    [InlineData(OutsideReplyKind.Forgotten, HttpStatusCode.Gone, "IC-7004", "True")]
    [InlineData(OutsideReplyKind.Acknowledged, HttpStatusCode.Gone, "IC-7005", "True")]
    [InlineData(OutsideReplyKind.Full, HttpStatusCode.TooManyRequests, "IC-7006", "False")]
    [InlineData(OutsideReplyKind.Unavailable, HttpStatusCode.ServiceUnavailable, "IC-7007", "False")]
    [InlineData(OutsideReplyKind.Future, HttpStatusCode.BadRequest, "IC-7008", "False")]
    [InlineData(OutsideReplyKind.Lost, HttpStatusCode.InternalServerError, "IC-7012", "True")]
    [InlineData(OutsideReplyKind.Unknown, HttpStatusCode.NotFound, "IC-7017", "False")]
    internal async Task What_the_core_refuses_has_a_status_and_a_code(OutsideReplyKind kind, HttpStatusCode status, string code,
        string final)
    {
        await using IngressUnderTest ingress = await StartAsync();
        ingress.Entrance.Says = kind;
        Answer answer = await ingress.CallAsync("Order", """{"item":"tea"}""", Key);
        Assert.Equal((status, code, final, Problem.ContentType), (answer.Status, answer.Code, answer.Problem("final"), answer.Kind));
        Assert.Equal(code, (await ingress.GetAsync("/v1/calls/%22order-42%22;t=1795439000")).Code);
    }

    [Fact]
    public async Task When_nobody_can_say_in_time_what_is_true_that_is_what_is_said()
    {
        await using IngressUnderTest ingress = await StartAsync();
        ingress.Entrance.IsStuck = true;
        Answer answer = await ingress.CallAsync("Order", """{"item":"tea"}""", Key, "?wait=1ms");
        Assert.Equal((HttpStatusCode.GatewayTimeout, "IC-7016"), (answer.Status, answer.Code));
        Assert.Equal("IC-7016", (await ingress.GetAsync("/v1/calls/%22order-42%22;t=1795439000?wait=1ms")).Code);
    }

    [Fact]
    public async Task Before_the_app_has_said_what_it_takes_nothing_is_taken()
    {
        await using IngressUnderTest ingress = await StartAsync();
        ingress.Told.Tell("{}");
        Assert.Equal("IC-7007", (await ingress.CallAsync("Order", """{"item":"tea"}""", Key)).Code);
        ingress.Told.Tell(ShopShapes);
        Assert.Equal(HttpStatusCode.NoContent, (await ingress.CallAsync("Order", """{"item":"tea"}""", Key)).Status);
    }

    [Theory] // X24
    [InlineData("?mode=shout")]
    [InlineData("?wait=soon")]
    public async Task A_call_that_is_kept_is_not_said_to_be_none_for_what_a_repeat_says_beside_it(string query)
    {
        await using IngressUnderTest ingress = await StartAsync();
        Assert.Equal("IC-7001", (await ingress.CallAsync("Order", """{"item":"tea"}""", Key, query)).Code);
        await ingress.CallAsync("Order", """{"item":"tea"}""", Key);
        Answer repeat = await ingress.CallAsync("Order", """{"item":"tea"}""", Key, query);
        Assert.Equal((HttpStatusCode.Conflict, "IC-7003"), (repeat.Status, repeat.Code));
        Assert.Equal(HttpStatusCode.NoContent, (await ingress.GetAsync(repeat.Location!)).Status);
        Assert.Single(ingress.Entrance.Admitted);
    }

    [Fact] // X24: an upgrade between a call and its repeat.
    public async Task A_repeat_that_todays_app_does_not_understand_is_not_told_that_nothing_ran()
    {
        await using IngressUnderTest ingress = await StartAsync();
        ingress.Entrance.Answer = static _ => Value("05");
        Answer first = await ingress.CallAsync("Add", """{"number":5}""", Key);
        ingress.Told.Tell(ShopShapes.Replace("\"Add\"", "\"Sum\"", StringComparison.Ordinal));
        Answer repeat = await ingress.CallAsync("Add", """{"number":5}""", Key);
        Assert.Equal((HttpStatusCode.Conflict, "IC-7003"), (repeat.Status, repeat.Code));
        Assert.Equal(first.Text, (await ingress.GetAsync(repeat.Location!)).Text);
        Assert.Equal("IC-7010", (await ingress.CallAsync("Add", """{"number":5}""", "\"order-43\";t=1795439000")).Code);
        ingress.Entrance.Says = OutsideReplyKind.Forgotten;
        Assert.Equal("IC-7004", (await ingress.CallAsync("Add", """{"number":5}""", Key)).Code);
        ingress.Entrance.Says = OutsideReplyKind.Unavailable;
        Assert.Equal("IC-7007", (await ingress.CallAsync("Add", """{"number":5}""", Key)).Code);
    }

    [Theory]
    [InlineData("Order", """{"item":1}""", "IC-7001", "$.item: text belongs here, not a number")]
    [InlineData("Order", """{"count":1}""", "IC-7001", "$.item: Order needs it")]
    [InlineData("Order", """{"item":"x","colour":1}""", "IC-7001", "$.colour: Order has no such parameter; it has item, count")]
    [InlineData("Order", "{", "IC-7001", "the arguments are no JSON")]
    [InlineData("Order", "", "IC-7001", "$.item: Order needs it")]
    [InlineData("Order", "{\"item\":\"x\"}{}", "IC-7001", "the arguments are no JSON")]
    [InlineData("Add", """{"nothing":1}""", "IC-7001",
        "no method of this name takes it: $.nothing: Add has no such parameter; it has number; or $.nothing")]
    [InlineData("Close", "{}", "IC-7010", "offered to local")]
    [InlineData("Nothing", "{}", "IC-7010", "offered to local")]
    [InlineData("Other.Order", """{"item":"x"}""", "IC-7010", "offered to local")]
    public async Task What_is_not_understood_is_refused_and_not_admitted(string method, string body, string code, string detail)
    {
        await using IngressUnderTest ingress = await StartAsync();
        foreach (string? key in new[] { null, Key })
        {
            Answer answer = await ingress.CallAsync(method, body, key);
            Assert.Equal(code, answer.Code);
            Assert.Contains(detail, answer.Detail, StringComparison.Ordinal);
        }

        Assert.Empty(ingress.Entrance.Admitted);
    }

    [Theory]
    [InlineData("?wiat=5s", "wiat")]
    [InlineData("?wait=5s&at-least=4", "at-least")]
    [InlineData("?mode=send&=5", "")]
    public async Task A_name_in_the_URL_that_no_call_knows_is_refused(string query, string name)
    {
        await using IngressUnderTest ingress = await StartAsync();
        foreach (string? key in new[] { null, Key })
        {
            Answer answer = await ingress.CallAsync("Order", """{"item":"tea"}""", key, query);
            Assert.Equal((HttpStatusCode.BadRequest, "IC-7001"), (answer.Status, answer.Code));
            Assert.Contains($"{name}, which a call does not know; it knows mode and wait", answer.Detail, StringComparison.Ordinal);
        }

        Assert.Empty(ingress.Entrance.Admitted);
        Assert.Equal(HttpStatusCode.NoContent, (await ingress.CallAsync("Order", """{"item":"tea"}""", Key, "?WAIT=5s&mode=call")).Status);
    }

    [Fact] // X24
    public async Task A_call_that_is_in_the_log_is_answered_whatever_its_URL_says()
    {
        await using IngressUnderTest ingress = await StartAsync();
        ingress.Entrance.Answer = static _ => Value("05");
        Answer first = await ingress.CallAsync("Add", """{"number":5}""", Key);
        Answer repeat = await ingress.CallAsync("Add", """{"number":5}""", Key, "?wiat=5s");
        Assert.Equal((first.Status, first.Text), (repeat.Status, repeat.Text));
        Assert.Equal("IC-7003", (await ingress.CallAsync("Add", """{"number":6}""", Key, "?wiat=5s")).Code);
        ingress.Entrance.Says = OutsideReplyKind.Forgotten;
        Assert.Equal("IC-7004", (await ingress.CallAsync("Add", """{"number":5}""", Key, "?wiat=5s")).Code);
        Assert.Single(ingress.Entrance.Admitted);
    }

    [Theory]
    [InlineData("?wait=10m", "", "wait=300")]
    [InlineData("", "wait=600", "wait=300")]
    [InlineData("?wait=5m", "", "")]
    [InlineData("", "wait=300", "")]
    public async Task A_request_that_would_wait_longer_than_it_may_is_told_how_long_it_does(string query, string prefer, string told)
    {
        await using IngressUnderTest ingress = await StartAsync();
        using var client = new HttpClient();
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri(ingress.Address, $"/v1/immortals/shop/Add{query}"))
        {
            Content = new StringContent("""{"text":"x"}""", System.Text.Encoding.UTF8, "application/json"),
        };
        request.Headers.TryAddWithoutValidation("Prefer", prefer);
        using HttpResponseMessage response = await client.SendAsync(request);
        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
        Assert.Equal(told, response.Headers.TryGetValues("Preference-Applied", out IEnumerable<string>? said) ? said.Single() : "");
    }

    [Fact]
    public async Task What_is_no_call_has_an_answer_that_says_so()
    {
        await using IngressUnderTest ingress = await StartAsync(IngressLimits.Product with { Body = 64 });
        Assert.Equal("IC-7002", (await ingress.CallAsync("Order", """{"item":"x"}""", "\"order-42\"")).Code);
        Assert.Contains("t=1795439000", (await ingress.CallAsync("Order", """{"item":"x"}""", "\"order-42\"")).Detail,
            StringComparison.Ordinal);
        Assert.Equal("IC-7002", (await ingress.GetAsync("/v1/calls/order-42")).Code);
        Assert.Equal("IC-7018", (await ingress.CallAsync("Order", """{"item":"x"}""", kind: "text/plain")).Code);
        Assert.Equal("IC-7018", (await ingress.CallAsync("Order", """{"item":"x"}""", kind: "")).Code);
        Answer large = await ingress.CallAsync("Order", $$"""{"item":"{{new string('x', 100)}}"}""");
        Assert.Equal((HttpStatusCode.RequestEntityTooLarge, "IC-7014"), (large.Status, large.Code));
        ingress.Entrance.Largest = 4;
        Assert.Equal("IC-7014", (await ingress.CallAsync("Order", """{"item":"tea"}""", Key)).Code);
        Assert.Equal("IC-7010", (await ingress.GetAsync("/elsewhere")).Code);
        Assert.Equal("IC-7010", (await ingress.GetAsync("/v1/immortals/bank/Order")).Code);
        Answer wrong = await ingress.GetAsync("/v1/immortals/shop/Order");
        Assert.Equal((HttpStatusCode.MethodNotAllowed, "IC-7010"), (wrong.Status, wrong.Code));
        Assert.Equal("IC-7001", (await ingress.CallAsync("Order", """{"item":"x"}""", null, "?mode=shout")).Code);
        Assert.Equal("IC-7001", (await ingress.CallAsync("Order", """{"item":"x"}""", null, "?wait=soon")).Code);
        Assert.Empty(ingress.Entrance.Admitted);
    }

    [Fact]
    public async Task What_is_offered_is_described_and_every_reference_leads_somewhere()
    {
        await using IngressUnderTest ingress = await StartAsync();
        using JsonDocument document = JsonDocument.Parse((await ingress.GetAsync("/openapi.json")).Text);
        JsonElement root = document.RootElement;
        Assert.Equal("3.1.0", root.GetProperty("openapi").GetString());
        Assert.False(root.TryGetProperty("security", out _)); // No tokens are asked for.
        Assert.Equal(
            ["/v1/immortals/shop/Order", "/v1/immortals/shop/Add", "/v1/immortals/shop/Paint", "/v1/immortals/shop/PriceOf",
                "/v1/calls/{key}"],
            root.GetProperty("paths").EnumerateObject().Select(static path => path.Name));
        JsonElement order = root.GetProperty("paths").GetProperty("/v1/immortals/shop/Order").GetProperty("post").GetProperty("requestBody")
            .GetProperty("content").GetProperty("application/json").GetProperty("schema");
        Assert.Equal("""["item"]""", order.GetProperty("required").GetRawText().Replace(" ", "", StringComparison.Ordinal)
            .Replace("\n", "", StringComparison.Ordinal));
        Assert.Equal(1, order.GetProperty("properties").GetProperty("count").GetProperty("default").GetInt32());
        string[] references = [.. Regex.Matches(root.GetRawText(), "\"#/components/schemas/([^\"]+)\"")
            .Select(static match => match.Groups[1].Value).Distinct()];
        Assert.Equal(2, references.Length);
        Assert.All(references, name =>
            Assert.True(root.GetProperty("components").GetProperty("schemas").TryGetProperty(name, out _), name));
        JsonElement schemas = root.GetProperty("components").GetProperty("schemas");
        Assert.Equal("Colour", schemas.GetProperty("Colour_0").GetProperty("title").GetString());
        JsonElement[] overloads = [.. root.GetProperty("paths").GetProperty("/v1/immortals/shop/Add").GetProperty("post")
            .GetProperty("x-overloads").EnumerateArray()];
        Assert.Equal([true, false], overloads.Select(static each => each.TryGetProperty("result", out _)));
        Assert.Equal(["number", "text"], overloads.Select(static each =>
            each.GetProperty("arguments").GetProperty("properties").EnumerateObject().Single().Name));
        ingress.Told.Tell("{}");
        Assert.Equal("IC-7007", (await ingress.GetAsync("/openapi.json")).Code);
    }

    private static OutsideReply Value(string hex) => new(OutsideReplyKind.Answer, (byte)RpcForm.Value, Convert.FromHexString(hex));

    private static string Hex(ReadOnlyMemory<byte> bytes) => Convert.ToHexString(bytes.Span).ToLowerInvariant();

    private static byte[] Pack(string text) => [0xd9, (byte)text.Length, .. Encoding.ASCII.GetBytes(text)];
}
