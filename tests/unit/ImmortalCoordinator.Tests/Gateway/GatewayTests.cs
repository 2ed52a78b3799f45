using System.IO.Pipelines;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.CoordinatorHost.Gateway;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;
using Ambrosia.Primitives.Errors;
using Ambrosia.V1;
using Grpc.Core;
using Grpc.Net.Client;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging.Abstractions;
using static Ambrosia.ImmortalCoordinator.Tests.Gateway.GatewayUnderTest;

namespace Ambrosia.ImmortalCoordinator.Tests.Gateway;

/// <summary>Calls through a gateway to instances: whom they reach, and what their callers are told.</summary>
public sealed class GatewayTests
{
    private const string Key = IngressUnderTest.Key;
    private const string OtherId = "f123456789abcdef0123456789abcdef";

    [Fact]
    public async Task A_call_reaches_the_instance_that_its_path_names_under_the_name_of_its_caller()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        await using IngressUnderTest bank = await gateway.AddAsync("bank", OtherId);
        shop.Entrance.Answer = static _ => new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Value, new byte[] { 5 });
        (int status, string text, HttpResponseMessage response) = await gateway.OrderAsync(Key);
        Assert.Equal((200, "5\n"), (status, text));
        Assert.Equal("nosniff", response.Headers.GetValues("X-Content-Type-Options").Single());
        Assert.Equal((204, ""), await StatusAsync(gateway.OrderAsync(Key, "two", "bank")));
        Assert.Equal(new OutsideKey("alice", KeyHash.Of("order-42"), 1_795_439_000_000), Assert.Single(shop.Entrance.Admitted).Key);
        Assert.Equal("bob", Assert.Single(bank.Entrance.Admitted).Key!.Value.Caller);
        Assert.Equal((200, "5\n"), await StatusAsync(gateway.OrderAsync(Key))); // A repeat is known.
        Assert.Single(shop.Entrance.Admitted);
    }

    [Theory] // outside-calls.md X24
    [InlineData("?mode=shout")]
    [InlineData("?wait=soon")]
    public async Task A_call_that_is_kept_is_not_refused_for_what_a_repeat_says_beside_it(string query)
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        const string Path = "/v1/immortals/shop/Order", Body = """{"item":"tea"}""";
        Assert.Equal("IC-7001", CodeOf((await gateway.SendAsync(HttpMethod.Post, Path + query, Body, Key)).Text));
        Assert.Equal(204, (await gateway.SendAsync(HttpMethod.Post, Path, Body, Key)).Status);
        Assert.Equal("IC-7003", CodeOf((await gateway.SendAsync(HttpMethod.Post, Path + query, Body, Key)).Text));
        Assert.Contains(
            "POST /NAME/v1/awakeables/ID", (await gateway.SendAsync(HttpMethod.Get, "/nowhere")).Text, StringComparison.Ordinal);
    }

    [Fact] // outside-calls.md X27
    public async Task The_id_that_a_gateway_names_is_not_its_callers()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync(logEndsWithProcess: true);
        (int status, string text, HttpResponseMessage response) = await gateway.OrderAsync(Key);
        Assert.Equal((400, "IC-7028", Id), (status, CodeOf(text), response.Headers.GetValues("Ambrosia-Instance-Id").Single()));
        Assert.Empty(shop.Entrance.Admitted);
        string named = $"{Key};id=\"{Id}\"";
        Assert.Equal(204, (await gateway.OrderAsync(named)).Status);
        Assert.Equal("IC-7022", CodeOf((await gateway.OrderAsync(named, headers: ("Ambrosia-Instance-Id", OtherId))).Text));

        // It has started again: at once, and not when the caller's time is over.
        shop.Entrance.InstanceId = new Guid(OtherId);
        await gateway.PutAsync("shop", OtherId, shop.Address);
        foreach (Task<(int Status, string Text, HttpResponseMessage Response)> refused in new[]
        {
            gateway.OrderAsync(named), gateway.SendAsync(HttpMethod.Get, $"/shop/v1/calls/{Uri.EscapeDataString(named)}?method=Order"),
        })
        {
            Assert.Equal((410, "IC-7022"), ((await refused).Status, CodeOf((await refused).Text)));
        }

        Assert.Single(shop.Entrance.Admitted);
    }

    [Fact]
    public async Task A_pending_call_is_asked_for_where_its_location_says()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        shop.Entrance.Answer = static _ => null;
        (int status, _, HttpResponseMessage response) =
            await gateway.SendAsync(HttpMethod.Post, "/v1/immortals/shop/Order?mode=send", """{"item":"tea"}""", Key);
        string location = response.Headers.Location!.OriginalString;
        Assert.Equal((202, "/shop/v1/calls/%22order-42%22%3Bt%3D1795439000?method=Order"), (status, location));
        shop.Entrance.Complete(new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Value, new byte[] { 5 }));
        Assert.Equal((200, "5\n"), await StatusAsync(gateway.SendAsync(HttpMethod.Get, location)));
        Assert.Equal((200, "5\n"), await StatusAsync(gateway.SendAsync(HttpMethod.Get, $"{location[5..]}&instance=shop")));
        Assert.Equal(404, (await gateway.SendAsync(HttpMethod.Get, location, token: "two")).Status); // Another caller's key.
        Assert.Equal("IC-7010", CodeOf((await gateway.SendAsync(HttpMethod.Get, location[5..])).Text)); // Of which instance?
    }

    [Fact]
    public async Task Queries_and_the_description_of_one_instance_come_through()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        AppQuery? asked = null;
        shop.Asked.Answer = (query, _) =>
        {
            asked = query;
            return Task.FromResult(new AppAnswer(7, QueryStatus.Answered, [5]));
        };
        (int status, string text, HttpResponseMessage response) =
            await gateway.SendAsync(HttpMethod.Get, "/v1/immortals/shop/PriceOf?item=a%26b&at-least=4&wait=2s");
        Assert.Equal((200, "5\n", "7"), (status, text, response.Headers.GetValues("Ambrosia-Record").Single()));
        Assert.Equal(4ul, asked!.AtLeast);
        Assert.Contains("a&b", Encoding.UTF8.GetString(asked.Rpc), StringComparison.Ordinal);
        string all = (await gateway.SendAsync(HttpMethod.Get, "/shop/openapi.json")).Text;
        Assert.Contains("/v1/immortals/shop/Add", all, StringComparison.Ordinal);
        using JsonDocument document = JsonDocument.Parse(all);
        JsonElement server = document.RootElement.GetProperty("servers")[0];
        Assert.Equal("/shop", server.GetProperty("url").GetString()); // So that its paths lead there.
        Assert.Equal(405, (await gateway.SendAsync(HttpMethod.Get, "/shop/v1/immortals/shop/Add?number=5")).Status);
        string bobs = (await gateway.SendAsync(HttpMethod.Get, "/shop/openapi.json", token: "two")).Text;
        Assert.Contains("/v1/immortals/shop/Order", bobs, StringComparison.Ordinal);
        Assert.DoesNotContain("/v1/immortals/shop/Add", bobs, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_typed_call_reaches_the_instance_that_its_metadata_names()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        shop.Entrance.Answer = static _ => new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Value, new byte[] { 0xa1, (byte)'5' });
        using GrpcChannel channel = GrpcChannel.ForAddress($"http://127.0.0.1:{gateway.Port}");
        var client = new Apps.Shop.Shop.Shop.ShopClient(channel);
        var order = new Apps.Shop.Shop.OrderRequest { Item = "tea" };
        Metadata head = [.. Token("one"), new("ambrosia-instance", "shop"), new("idempotency-key", Key)];
        DateTime soon = DateTime.UtcNow.AddSeconds(10);
        Assert.Equal("5", (await client.OrderAsync(order, head, soon)).Result); // As a reply of ambrosia.v1.Ingress it would be "accepted".
        Assert.Equal("5", (await client.OrderAsync(order, head, soon)).Result);
        Assert.Equal(2, shop.Entrance.Asked);
        Assert.Equal("alice", Assert.Single(shop.Entrance.Admitted).Key!.Value.Caller);
        await RequireAsync(StatusCode.InvalidArgument, "IC-7001", client.OrderAsync(order, Token("one")));
        await RequireAsync(
            StatusCode.NotFound, "IC-7023", client.OrderAsync(order, [.. Token("one"), new("ambrosia-instance", "nowhere")]));
        await RequireAsync(StatusCode.Unauthenticated, "IC-7013", client.OrderAsync(order, [new("ambrosia-instance", "shop")]));
        await RequireAsync(StatusCode.NotFound, "IC-7010", client.AddByNumberAsync(
            new Apps.Shop.Shop.AddByNumberRequest { Number = 1 }, [.. Token("two"), new("ambrosia-instance", "shop")]));
        Assert.Contains("service Shop", (await gateway.SendAsync(HttpMethod.Get, "/shop/service.proto")).Text, StringComparison.Ordinal);

        shop.Entrance.Answer = static _ => null;
        Metadata again = [.. Token("one"), new("ambrosia-instance", "shop"), new("idempotency-key", "\"order-43\";t=1795439000")];
        foreach (Metadata calling in new[] { again, [.. Token("one"), new("ambrosia-instance", "shop")] })
        {
            // A second is between the answer and the deadline, which a busy machine may need for itself.
            string? code = null;
            for (int tries = 0; code is null && tries < 3; tries++)
            {
                RpcException late = await Assert.ThrowsAsync<RpcException>(
                    () => client.OrderAsync(order, calling, DateTime.UtcNow.AddSeconds(5)).ResponseAsync);
                Assert.Equal(StatusCode.DeadlineExceeded, late.StatusCode);
                code = late.Trailers.GetValue("ambrosia-code");
            }

            Assert.Equal("IC-7016", code);
        }
    }

    [Theory] // What would be another path for the instance.
    [InlineData("/ambrosia.apps.shop.shop.Shop/..%2F..%2Fv1")]
    [InlineData("/ambrosia.apps.shop.shop.Shop/Order%3Fx")]
    [InlineData("/ambrosia.apps.shop.shop.Shop/a/b")]
    [InlineData("/ambrosia.apps.shop.shop.Shop%20/Order")]
    [InlineData("/ambrosia.apps.shop.shop.Shop")]
    public async Task A_path_that_is_no_method_of_a_typed_service_goes_nowhere(string path)
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        using var client = new HttpClient();
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri($"http://127.0.0.1:{gateway.Port}{path}"))
        {
            Version = new Version(2, 0), VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = new ByteArrayContent([0, 0, 0, 0, 0]),
        };
        request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/grpc");
        request.Headers.Add("Authorization", "Bearer one");
        request.Headers.Add("ambrosia-instance", "shop");
        using HttpResponseMessage answer = await client.SendAsync(request);
        await answer.Content.ReadAsStringAsync();
        string status = answer.Headers.TryGetValues("grpc-status", out IEnumerable<string>? first) ? first.Single()
            : answer.TrailingHeaders.GetValues("grpc-status").Single();
        Assert.Equal(("12", 0), (status, shop.Entrance.Asked)); // UNIMPLEMENTED
    }

    [Fact]
    public async Task A_call_over_gRPC_reaches_the_instance_that_it_names()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        shop.Entrance.Answer = static _ => new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Value, new byte[] { 5 });
        using GrpcChannel channel = GrpcChannel.ForAddress($"http://127.0.0.1:{gateway.Port}");
        var client = new V1.Ingress.IngressClient(channel);
        var call = new CallRequest
        {
            Instance = "shop", Method = "Order", Json = """{"item":"tea"}""",
            Key = new V1.Key { Text = "order-42", Made = 1_795_439_000_000 },
        };
        Assert.Equal("5", (await client.CallAsync(call, Token("one"))).Json);
        Assert.Equal("alice", Assert.Single(shop.Entrance.Admitted).Key!.Value.Caller);
        call.Instance = "nowhere";
        await RequireAsync(StatusCode.NotFound, "IC-7023", client.CallAsync(call, Token("one")));
        await RequireAsync(StatusCode.Unauthenticated, "IC-7013", client.CallAsync(call));
        (call.Instance, call.Method) = ("shop", "Add");
        call.MethodId = 2; // The number chooses, whatever the name is: bob may not call it.
        call.Method = "Order";
        await RequireAsync(StatusCode.NotFound, "IC-7010", client.CallAsync(call, Token("two")));
    }

    [Theory]
    [InlineData(Key, 204, 1)]
    [InlineData("", 500, 0)]
    public async Task A_call_with_a_key_follows_its_instance_and_one_without_is_not_repeated(string key, int expected, int admitted)
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        using var dies = new RawInstance(_ =>
        {
            gateway.PutAsync("shop", Id, shop.Address).GetAwaiter().GetResult(); // Its successor says where it is.
            return null;
        });
        await gateway.PutAsync("shop", Id, dies.Address);
        (int status, string text, _) = await gateway.OrderAsync(key);
        Assert.Equal(expected, status);
        Assert.Equal(expected == 500 ? "IC-7012" : "", expected == 500 ? CodeOf(text) : text);
        Assert.Equal(admitted, shop.Entrance.Admitted.Count);
    }

    [Fact]
    public async Task A_call_without_a_body_is_not_sent_again_by_the_library_below_either()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        int count = 0;
        using var dies = new RawInstance(_ => ++count == 1 ? RawInstance.Ok("1") : null);
        await gateway.PutAsync("shop", Id, dies.Address);
        Assert.Equal(200, (await gateway.SendAsync(HttpMethod.Post, "/v1/immortals/shop/Close")).Status);
        Assert.Equal(500, (await gateway.SendAsync(HttpMethod.Post, "/v1/immortals/shop/Close")).Status);
        Assert.Equal(2, dies.Requests.Length);
    }

    [Fact]
    public async Task A_call_that_one_instance_may_have_got_is_not_sent_to_another_of_its_name()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest other = await gateway.AddAsync("shop", OtherId);
        using var dies = new RawInstance(_ =>
        {
            gateway.PutAsync("shop", OtherId, other.Address).GetAwaiter().GetResult();
            return null;
        });
        await gateway.PutAsync("shop", Id, dies.Address);
        (int status, string text, _) = await gateway.OrderAsync(Key);
        Assert.Equal((410, "IC-7022"), (status, CodeOf(text)));
        Assert.Empty(other.Entrance.Admitted);
        Assert.Equal(204, (await gateway.OrderAsync("\"order-43\";t=1795439000")).Status); // A call of which that is not true.
    }

    [Fact]
    public async Task An_instance_refuses_what_is_meant_for_another_of_its_name()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        await gateway.PutAsync("shop", OtherId, shop.Address); // The catalog knows more than the process at its address.
        (int status, string text, _) = await gateway.SendAsync(
            HttpMethod.Post, "/v1/immortals/shop/Order?wait=300ms", """{"item":"tea"}""", Key);
        Assert.Empty(shop.Entrance.Admitted);
        Assert.Equal((503, "IC-7007"), (status, CodeOf(text)));
    }

    [Fact]
    public async Task Where_the_catalog_says_no_id_the_instance_is_asked()
    {
        await using GatewayUnderTest gateway = await StartAsync(
            static options => options with { InstanceUrl = "http://127.0.0.1:1/{instance}" });
        await using IngressUnderTest shop = await gateway.AddAsync();
        await gateway.PutAsync("shop", "", shop.Address);
        Assert.Equal(204, (await gateway.OrderAsync(Key)).Status);
        await gateway.PutAsync("other", "", shop.Address);
        (int status, string text, _) = await gateway.SendAsync(
            HttpMethod.Post, "/v1/immortals/other/Order?wait=300ms", """{"item":"tea"}""", Key);
        Assert.Equal((503, "IC-7007"), (status, CodeOf(text)));
        Assert.Single(shop.Entrance.Admitted);
    }

    [Fact]
    public async Task Awakeables_are_completed_only_where_that_is_asked_for()
    {
        await using GatewayUnderTest closed = await StartAsync();
        string path = $"/shop/v1/awakeables/{FakeAwakeables.Id()}";
        Assert.Equal(401, (await closed.SendAsync(HttpMethod.Post, path, "5", token: null)).Status);
        await using GatewayUnderTest gateway = await StartAsync(static options => options with { ServesAwakeables = true });
        await using IngressUnderTest shop = await gateway.AddAsync();
        Assert.Equal(404, (await gateway.SendAsync(HttpMethod.Post, "/shop/v1/awakeables/nothing", "5", token: null)).Status);
        (_, string here, _) = await gateway.SendAsync(HttpMethod.Post, "/shop/v1/awakeables/nothing", "5", token: null);
        (_, string nowhere, _) = await gateway.SendAsync(HttpMethod.Post, "/nowhere/v1/awakeables/nothing", "5", token: null);
        Assert.Equal(here, nowhere); // One text, so that it says of no name whether it exists.
        (_, string text, _) = await gateway.SendAsync(HttpMethod.Post, path, "5", token: null);
        Assert.Equal("IC-7021", CodeOf(text)); // It reached the instance.
    }

    [Fact]
    public async Task A_caller_that_means_another_instance_of_the_name_reaches_none()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        Assert.Equal((410, "IC-7022"), await MeaningAsync(OtherId));
        Assert.Equal((410, "IC-7022"), await MeaningAsync(Id, OtherId)); // Two are none.
        Assert.Empty(shop.Entrance.Admitted);
        Assert.Equal((204, ""), await MeaningAsync(Id));

        async Task<(int, string)> MeaningAsync(params string[] ids)
        {
            (int status, string text, _) = await gateway.SendAsync(
                HttpMethod.Post, "/v1/immortals/shop/Order", """{"item":"tea"}""", Key,
                headers: [.. ids.Select(static id => ("Ambrosia-Instance-Id", id))]);
            return (status, text.Length == 0 ? "" : CodeOf(text));
        }
    }

    [Fact]
    public async Task What_keeps_calls_from_their_instances_is_in_the_log_of_the_gateway()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await IngressUnderTest.StartAsync(
            tokens: IngressTokens.Load(gateway.CallersFile, TimeProvider.System, NullLogger.Instance));
        await gateway.PutAsync("shop", Id, shop.Address); // It does not know the gateway.
        Assert.Equal((502, "IC-7024"), await CodeAsync());
        string line = Assert.Single(gateway.Lines, static line => line.Contains("IC-7024", StringComparison.Ordinal));
        Assert.Contains("shop does not let this gateway in", line, StringComparison.Ordinal);
        Assert.Contains(IngressErrors.GatewayNotTrusted.Advice, line, StringComparison.Ordinal);
        for (int count = 0; count < 20; count++)
        {
            Assert.Equal((502, "IC-7024"), await CodeAsync());
        }

        Assert.InRange(gateway.Lines.Count(static line => line.Contains("IC-7024", StringComparison.Ordinal)), 1, 10); // Not once a call.
        await File.WriteAllTextAsync(gateway.EntryFile("bank"), "{");
        await gateway.SendAsync(HttpMethod.Post, "/v1/immortals/bank/Order?wait=100ms", "{}", Key);
        Assert.Contains(gateway.Lines, static line => line.Contains("cannot say where bank is: IC-2050", StringComparison.Ordinal));
        string made = $"Made a token of the gateway's own in {gateway.TokenFile}";
        Assert.Contains(gateway.Lines, line => line.Contains(made, StringComparison.Ordinal));

        async Task<(int, string)> CodeAsync()
        {
            (int status, string text, _) = await gateway.OrderAsync(Key);
            return (status, CodeOf(text));
        }
    }

    [Fact]
    public async Task Without_a_token_nobody_learns_which_hosts_there_are_and_what_they_say()
    {
        await using GatewayUnderTest gateway = await StartAsync(static options => options with { ServesAwakeables = true });
        await gateway.PutAsync("shop", "", new Uri("http://127.0.0.1:1/"));
        (int status, string text, _) = await gateway.SendAsync(
            HttpMethod.Post, $"/shop/v1/awakeables/{FakeAwakeables.Id()}?wait=200ms", "5", token: null);
        Assert.Equal((503, "IC-7007"), (status, CodeOf(text)));
        Assert.DoesNotContain("127.0.0.1", text, StringComparison.Ordinal);
        Assert.Contains("\"the instance is not reached now; a repeat is safe\"", text, StringComparison.Ordinal); // And not why.
    }

    [Fact]
    public async Task Without_tokens_too_a_location_leads_through_the_gateway_and_only_for_those_who_came_through_it()
    {
        const string Path = "/v1/immortals/shop/Order?mode=send";
        const string Direct = "/v1/calls/%22order-42%22%3Bt%3D1795439000?method=Order";
        await using GatewayUnderTest gateway = await StartAsync(hasTokens: false);
        await using IngressUnderTest shop = await IngressUnderTest.StartAsync();
        await gateway.PutAsync("shop", Id, shop.Address);
        shop.Entrance.InstanceId = new Guid(Id);
        shop.Entrance.Answer = static _ => null;
        (int status, string text, HttpResponseMessage response) =
            await gateway.SendAsync(HttpMethod.Post, Path, """{"item":"tea"}""", Key, token: null);
        Assert.Equal((202, $"/shop{Direct}"), (status, response.Headers.Location!.OriginalString));
        Assert.Contains($"\"/shop{Direct}\"", text, StringComparison.Ordinal);
        Assert.Equal((202, Direct), await AskDirectlyAsync(shop, null, ("Ambrosia-Instance-Id", Id)));
        await using GatewayUnderTest other = await StartAsync();
        await using IngressUnderTest guarded = await other.AddAsync();
        guarded.Entrance.Answer = static _ => null;
        Assert.Equal((202, Direct), await AskDirectlyAsync(guarded, "three", ("Ambrosia-Gateway", "1"))); // Its token says who it is.
        shop.Entrance.Complete(new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Value, new byte[] { 5 }));
        Assert.Equal((200, "5\n"), await StatusAsync(gateway.SendAsync(HttpMethod.Get, $"/shop{Direct}", token: null)));
        string all = (await gateway.SendAsync(HttpMethod.Get, "/shop/openapi.json", token: null)).Text;
        using JsonDocument document = JsonDocument.Parse(all);
        Assert.Equal("/shop", document.RootElement.GetProperty("servers")[0].GetProperty("url").GetString());
    }

    [Fact]
    public async Task A_header_beyond_ASCII_reaches_the_instance_which_says_what_it_makes_of_it()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        (int status, string text, _) = await gateway.OrderAsync("\"bestellung-\u00fc\";t=1795439000");
        Assert.Equal(400, status);
        Assert.Equal("IC-7002", CodeOf(text));
    }

    [Theory]
    [InlineData(false)] // It stands still.
    [InlineData(true)] // The gateway ends.
    public async Task An_answer_whose_rest_does_not_come_ends_with_the_connection_of_its_caller(bool ends)
    {
        using var end = new CancellationTokenSource();
        var context = new DefaultHttpContext();
        var life = new Life();
        context.Features.Set<IHttpRequestLifetimeFeature>(life);
        var pipe = new Pipe();
        using var answer = new InstanceAnswer(new HttpResponseMessage(), new byte[1], pipe.Reader.AsStream());
        var call = new ForwardedCall
            { Instance = "shop", Method = HttpMethod.Get, Path = "/", MayRepeat = true, Wait = TimeSpan.FromSeconds(1) };
        Task telling = AnswerRelay.TellAsync(
            context, answer, call, ends ? TimeProvider.System : new LeapingClock(), default, end.Token);
        if (ends)
        {
            await end.CancelAsync();
        }

        await telling.OrFail();
        Assert.True(life.IsAborted);
    }

    [Theory] // Libraries take INTERNAL for a mistake of somebody's, and a reset for trouble with the network.
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_watched_query_whose_instance_dies_ends_and_is_not_broken(bool isGrpc)
    {
        var life = new Life();
        var context = new DefaultHttpContext();
        context.Features.Set<IHttpRequestLifetimeFeature>(life);
        using var answer = new InstanceAnswer(new HttpResponseMessage(), new byte[2], new DyingStream());
        var call = new ForwardedCall
        {
            Instance = "shop", Method = HttpMethod.Get, Path = "/", MayRepeat = true, IsQuery = true, IsWatch = true, IsGrpc = isGrpc,
            Wait = TimeSpan.FromSeconds(1),
        };
        await AnswerRelay.TellAsync(context, answer, call, TimeProvider.System, default, default).OrFail();
        Assert.False(life.IsAborted);
        Assert.Equal(isGrpc ? "14" : "", context.Response.Headers["grpc-status"].ToString());
        Assert.Equal(isGrpc ? "IC-7007" : "", context.Response.Headers["ambrosia-code"].ToString());
    }

    [Fact] // It is in no log, and nothing is to be repeated.
    public async Task A_query_that_reaches_nobody_is_told_so_and_of_no_call()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        Uri gone;
        await using (IngressUnderTest shop = await gateway.AddAsync())
        {
            gone = shop.Address;
        }

        await gateway.PutAsync("shop", Id, gone);
        (int status, string text, _) = await gateway.SendAsync(HttpMethod.Get, "/v1/immortals/shop/PriceOf?item=tea&wait=1s");
        Assert.Equal((503, "IC-7007"), (status, CodeOf(text)));
        Assert.Contains("Connection refused", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_stop_waits_for_what_is_being_answered_and_tells_the_rest()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        shop.Entrance.Answer = static _ => null;
        Task<(int Status, string Text, HttpResponseMessage)> keyed = gateway.OrderAsync(Key);
        Task<(int Status, string Text, HttpResponseMessage)> other = gateway.OrderAsync();
        await Within.Until(() => shop.Entrance.Admitted.Count == 2);
        Assert.Equal(200, (await gateway.SendAsync(HttpMethod.Get, "/healthz", token: null)).Status);
        Task<int> stopping = gateway.Server.StopAsync(TimeSpan.FromMilliseconds(300));
        Assert.Equal(503, (await gateway.SendAsync(HttpMethod.Get, "/healthz", token: null)).Status);
        Assert.Equal(503, (await gateway.OrderAsync(Key)).Status);
        Assert.Equal(2, await stopping);
        Assert.Equal((503, "IC-7007"), ((await keyed).Status, CodeOf((await keyed).Text)));
        Assert.Equal((500, "IC-7012"), ((await other).Status, CodeOf((await other).Text)));
    }

    private sealed class DyingStream : MemoryStream
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            ValueTask.FromException<int>(new IOException("Connection reset by peer"));
    }

    private sealed class Life : IHttpRequestLifetimeFeature
    {
        public bool IsAborted { get; private set; }

        public CancellationToken RequestAborted { get; set; }

        public void Abort() => IsAborted = true;
    }

    private static async Task<(int, string)> AskDirectlyAsync(
        IngressUnderTest shop, string? token, params (string Name, string Value)[] headers)
    {
        using var client = new HttpClient();
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri(shop.Address, "/v1/immortals/shop/Order?mode=send"));
        request.Content = new StringContent("""{"item":"tea"}""", Encoding.UTF8, "application/json");
        request.Headers.TryAddWithoutValidation("Idempotency-Key", Key);
        request.Headers.Authorization = token is null ? null : new AuthenticationHeaderValue("Bearer", token);
        foreach ((string name, string value) in headers)
        {
            request.Headers.Add(name, value);
        }

        using HttpResponseMessage answer = await client.SendAsync(request);
        return ((int)answer.StatusCode, answer.Headers.Location!.OriginalString);
    }

    private static Metadata Token(string token) => new() { { "authorization", $"Bearer {token}" } };

    private static async Task RequireAsync<T>(StatusCode status, string code, AsyncUnaryCall<T> call)
    {
        var error = await Assert.ThrowsAsync<RpcException>(async () => await call);
        Assert.Equal((status, code), (error.StatusCode, error.Trailers.GetValue("ambrosia-code")));
    }

    private static async Task<(int, string)> StatusAsync(Task<(int Status, string Text, HttpResponseMessage)> answer) =>
        await answer is var (status, text, _) ? (status, text) : default;
}
