using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging.Abstractions;
using static Ambrosia.ImmortalCoordinator.Tests.Ingress.IngressUnderTest;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>Queries from outside: what is asked of the app, and what the caller is told. Nothing of it is logged.</summary>
public sealed class IngressQueryTests : IAsyncLifetime
{
    private IngressUnderTest _ingress = null!;
    private AppQuery? _asked;

    public async Task InitializeAsync()
    {
        _ingress = await StartAsync();
        AnswerWith(4711, QueryStatus.Answered, Convert.FromHexString("a531322e3530")); // The text 12.50.
    }

    public async Task DisposeAsync() => await _ingress.DisposeAsync();

    [Fact]
    public async Task A_method_that_is_offered_and_does_not_exist_is_warned_of_once()
    {
        using var log = new KeptLog();
        await using IngressUnderTest ingress = await StartAsync(methods: IngressMethods.TryParse("Oder,Order"), log: log);
        for (int count = 0; count < 2; count++)
        {
            Assert.Equal(HttpStatusCode.NotFound, (await ingress.CallAsync("Oder", """{"item":"tea"}""")).Status);
        }

        string line = Assert.Single(log.Lines.All, static line => line.StartsWith("1218 ", StringComparison.Ordinal));
        Assert.StartsWith("1218 --ingress-methods offers Oder, which IShop does not have: it has ", line, StringComparison.Ordinal);
        Assert.Contains("Order", line[line.IndexOf("has ", StringComparison.Ordinal)..], StringComparison.Ordinal);
    }

    [Fact] // Its first caller was told that there is no such method, and nobody else anything.
    public async Task Names_of_no_method_are_warned_of_when_the_app_tells_and_before_anybody_calls()
    {
        using var log = new KeptLog();
        string file = Path.GetTempFileName();
        try
        {
            await File.WriteAllTextAsync(file, $"cook {new string('a', 64)} Order\nwaiter {new string('b', 64)} Oder,Order,PriceOf\n");
            IngressTokens tokens = IngressTokens.Load(file, TimeProvider.System, NullLogger.Instance);
            await using IngressUnderTest ingress =
                await StartAsync(tokens: tokens, methods: IngressMethods.TryParse("Order,Oder"), log: log);
            string[] lines = [];
            Assert.Null(await Record.ExceptionAsync(() => Within.Until(() => (lines = [.. log.Lines.All.Where(
                static line => line.StartsWith("1218 ", StringComparison.Ordinal))]).Length > 1)));

            Assert.StartsWith("1218 --ingress-methods offers Oder, which IShop does not have: it has ", lines[0], StringComparison.Ordinal);
            Assert.StartsWith("1218 --ingress-tokens lets waiter call Oder, which IShop does not have", lines[1], StringComparison.Ordinal);
            Assert.Equal(2, lines.Length);
        }
        finally
        {
            File.Delete(file);
        }
    }

    [Theory]
    [InlineData("PriceOf?item=tea", "92a374656101")]
    [InlineData("PriceOf?item=tea&count=2", "92a374656102")]
    [InlineData("PriceOf?item=5", "92a13501")] // A text, because the parameter is one.
    [InlineData("PriceOf?item=%22", "92a12201")]
    [InlineData("PriceOf?item=", "92a001")]
    [InlineData("IShop.PriceOf?item=tea", "92a374656101")]
    [InlineData("PriceOf?args=%7B%22count%22:2,%22item%22:%22tea%22%7D&wait=5s", "92a374656102")]
    public async Task A_query_is_asked_of_the_app_and_says_after_which_record_it_was_true(string request, string arguments)
    {
        Answer answer = await _ingress.GetAsync($"/v1/immortals/shop/{request}");
        Assert.Equal((HttpStatusCode.OK, "\"12.50\"\n", "4711", "application/json"),
            (answer.Status, answer.Text, answer.Record, answer.Kind));
        Assert.Equal((6, arguments), Read(_asked!.Rpc));
        Assert.Equal(0ul, _asked.AtLeast);
        Assert.Empty(_ingress.Entrance.Admitted);
    }

    [Theory] // Each of these is JSON of another kind as well.
    [InlineData("char", "5", "35")]
    [InlineData("char?", "5", "35")]
    [InlineData("rune", "5", "35")]
    [InlineData("version", "1.2", "a3312e32")]
    [InlineData("uri", "42", "a23432")]
    [InlineData("uri?", "null", "a46e756c6c")]
    [InlineData("bytes", "1234", "c403d76df8")]
    [InlineData("bytes?", "null", "c4039ee965")]
    [InlineData("int32", "5", "05")]
    [InlineData("text", "100%", "a431303025")]
    [InlineData("int32?", "null", "c0")]
    public async Task What_stands_in_the_URL_is_read_by_the_type_of_the_parameter(string type, string value, string packed)
    {
        _ingress.Told.Tell(ShopShapes.Replace("{\"name\":\"item\",\"type\":\"text\"}", $"{{\"name\":\"item\",\"type\":\"{type}\"}}",
            StringComparison.Ordinal));
        foreach (string name in new[] { "item", "ITEM" })
        {
            Answer answer = await _ingress.GetAsync($"/v1/immortals/shop/PriceOf?{name}={value}");
            Assert.True(answer.Status == HttpStatusCode.OK, answer.Text);
            Assert.Equal((6, $"92{packed}01"), Read(_asked!.Rpc));
        }
    }

    [Theory]
    [InlineData("int32", "%22%5Cud800%22")]
    [InlineData("any", "%22%5Cud800%22")]
    [InlineData("[int32]", "%5B%22%5Cud800%22%5D")]
    [InlineData("{text:int32}", "%7B%22%5Cud800%22:1%7D")]
    [InlineData("text", "%FF")] // Nor is what is no UTF-8 a character.
    [InlineData("text", "tea%C3")]
    [InlineData("text", "%ED%A0%80")]
    public async Task Half_a_character_in_the_URL_is_refused(string type, string value)
    {
        _ingress.Told.Tell(ShopShapes.Replace("{\"name\":\"item\",\"type\":\"text\"}", $"{{\"name\":\"item\",\"type\":\"{type}\"}}",
            StringComparison.Ordinal));
        Answer answer = await _ingress.GetAsync($"/v1/immortals/shop/PriceOf?item={value}");
        Assert.Equal(HttpStatusCode.BadRequest, answer.Status);
        Assert.Equal("IC-7001", answer.Code);
    }

    [Fact]
    public async Task A_caller_may_ask_for_an_answer_that_knows_a_record()
    {
        Assert.Equal(HttpStatusCode.OK, (await _ingress.GetAsync("/v1/immortals/shop/PriceOf?item=tea&at-least=4711")).Status);
        Assert.Equal(4711ul, _asked!.AtLeast);
        _ingress.Asked.Answer = static async (_, stop) =>
        {
            await Task.Delay(Timeout.Infinite, stop);
            return null!;
        };
        Answer late = await _ingress.GetAsync("/v1/immortals/shop/PriceOf?item=tea&at-least=4712&wait=0");
        Assert.Equal((HttpStatusCode.GatewayTimeout, "IC-7016"), (late.Status, late.Code));
        Assert.Contains("record 4712", late.Detail, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("PriceOf", 400, "IC-7001", "item")]
    [InlineData("PriceOf?item=tea&count=x", 400, "IC-7001", "count")]
    [InlineData("PriceOf?item=tea&item=coffee", 400, "IC-7001", "stands twice")]
    [InlineData("PriceOf?item=tea&colour=red", 400, "IC-7001", "colour")]
    [InlineData("PriceOf?item=tea&args=%5B%5D", 400, "IC-7001", "args has all arguments")]
    [InlineData("PriceOf?args=%5B", 400, "IC-7001", "no JSON")]
    [InlineData("PriceOf?args=%5B%22tea%22%5D", 400, "IC-7001", "object")]
    [InlineData("PriceOf?item=tea&at-least=x", 400, "IC-7001", "at-least is the number of a record")]
    [InlineData("Order?item=tea", 405, "IC-7010", "by POST")]
    [InlineData("Nothing?item=tea", 404, "IC-7010", "no method of IShop")]
    [InlineData("Close", 404, "IC-7010", "no method of IShop that is offered")]
    public async Task What_is_no_query_is_refused_and_asks_the_app_nothing(string request, int status, string code, string says)
    {
        Answer answer = await _ingress.GetAsync($"/v1/immortals/shop/{request}");
        Assert.Equal(status, (int)answer.Status);
        Assert.Equal(code, answer.Code);
        Assert.Contains(says, answer.Detail, StringComparison.Ordinal);
        Assert.Null(_asked);
    }

    [Fact]
    public async Task What_the_app_cannot_answer_is_told_with_its_reason()
    {
        AnswerWith(1, QueryStatus.Failed, Encoding.UTF8.GetBytes("there is no tea"));
        Answer failed = await _ingress.GetAsync("/v1/immortals/shop/PriceOf?item=tea");
        Assert.Equal((HttpStatusCode.UnprocessableEntity, "IC-7011", "there is no tea", "False"),
            (failed.Status, failed.Code, failed.Detail, failed.Problem("final")));
        AnswerWith(1, QueryStatus.Unknown, []);
        Assert.Equal((HttpStatusCode.NotFound, "IC-7010"), await CodeAsync());
        _ingress.Asked.Answer = static (_, _) => throw new NotServingException("it replays");
        Assert.Equal((HttpStatusCode.ServiceUnavailable, "IC-7007"), await CodeAsync());

        async Task<(HttpStatusCode, string)> CodeAsync()
        {
            Answer answer = await _ingress.GetAsync("/v1/immortals/shop/PriceOf?item=tea");
            return (answer.Status, answer.Code);
        }
    }

    [Fact] // The app is asked a thousand questions at once, those of its operator among them.
    public async Task Who_fills_its_share_of_queries_leaves_that_of_others()
    {
        Assert.True(IngressLimits.Product.QueriesOfOne < IngressLimits.Product.Queries
            && IngressLimits.Product.Queries < AppQuestions.MostQueries);
        string path = Path.GetTempFileName();
        try
        {
            await File.WriteAllTextAsync(path, string.Concat(new[] { "alice", "bob" }.Select(
                static name => $"{name} {Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(name)))}\n")));
            await using IngressUnderTest ingress = await StartAsync(
                IngressLimits.Product with
                    { Queries = 3, QueriesOfOne = 2 }, IngressTokens.Load(path, TimeProvider.System, NullLogger.Instance));
            using var come = new SemaphoreSlim(0);
            var answer = new AppAnswer(9, QueryStatus.Answered, Convert.FromHexString("a531322e3530"));
            var executed = new TaskCompletionSource<AppAnswer>(TaskCreationOptions.RunContinuationsAsynchronously);
            ingress.Asked.Answer = (query, _) =>
            {
                come.Release();
                return query.AtLeast == 0 ? Task.FromResult(answer) : executed.Task;
            };
            var waiting = new List<Task<Answer>>();
            foreach ((string caller, HttpStatusCode next) in new[]
            {
                ("alice", HttpStatusCode.OK), ("alice", HttpStatusCode.TooManyRequests), ("bob", HttpStatusCode.TooManyRequests),
            })
            {
                waiting.Add(ingress.GetAsync("/v1/immortals/shop/PriceOf?item=tea&at-least=9", caller));
                await come.WaitAsync();
                Assert.Equal(next, (await ingress.GetAsync("/v1/immortals/shop/PriceOf?item=tea", caller)).Status);
                await come.WaitAsync(TimeSpan.Zero);
            }

            Assert.Equal("IC-7015", (await ingress.GetAsync("/v1/immortals/shop/PriceOf?item=tea", "bob")).Code);
            Assert.Equal(HttpStatusCode.NoContent, (await ingress.CallAsync("Order", """{"item":"tea"}""", token: "alice")).Status);
            executed.SetResult(answer);
            Assert.All(await Task.WhenAll(waiting), static each => Assert.Equal(HttpStatusCode.OK, each.Status));
            Assert.Equal(HttpStatusCode.OK, (await ingress.GetAsync("/v1/immortals/shop/PriceOf?item=tea", "alice")).Status);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact] // Else a client that may add may also read.
    public async Task A_query_that_is_not_offered_to_a_caller_is_not_there()
    {
        await using IngressUnderTest ingress = await StartAsync(methods: IngressMethods.TryParse("Order"));
        ingress.Asked.Answer = static (_, _) => Task.FromResult(new AppAnswer(1, QueryStatus.Answered, [5]));
        Answer answer = await ingress.GetAsync("/v1/immortals/shop/PriceOf?item=tea");
        Assert.Equal(HttpStatusCode.NotFound, answer.Status);
        Assert.Equal("IC-7010", answer.Code);
    }

    [Fact]
    public async Task The_description_has_queries_with_their_parameters()
    {
        using JsonDocument all = JsonDocument.Parse((await _ingress.GetAsync("/openapi.json")).Text);
        JsonElement path = all.RootElement.GetProperty("paths").GetProperty("/v1/immortals/shop/PriceOf");
        JsonElement get = path.GetProperty("get");
        Assert.Equal(["item", "count", "args", "at-least", "wait"], get.GetProperty("parameters").EnumerateArray()
            .Select(static each => each.GetProperty("name").GetString()!));
        Assert.Equal([true, false, false, false, false], get.GetProperty("parameters").EnumerateArray()
            .Select(static each => each.GetProperty("required").GetBoolean()));
        Assert.Equal(["application/json", "text/event-stream"], get.GetProperty("responses").GetProperty("200").GetProperty("content")
            .EnumerateObject().Select(static each => each.Name));
        Assert.Equal(JsonValueKind.Object, path.GetProperty("post").ValueKind);
        Assert.False(all.RootElement.GetProperty("paths").GetProperty("/v1/immortals/shop/Order").TryGetProperty("get", out _));
    }

    private static (int Method, string Arguments) Read(byte[] rpc)
    {
        RpcHeader call = RpcHeader.Read(rpc);
        return (call.MethodId, Convert.ToHexString(call.Body).ToLowerInvariant());
    }

    private void AnswerWith(ulong lsn, QueryStatus status, byte[] body) => _ingress.Asked.Answer = (query, _) =>
    {
        _asked = query;
        return Task.FromResult(new AppAnswer(lsn, status, body));
    };
}
