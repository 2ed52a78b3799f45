using Ambrosia.Apps.Shop.Shop;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Protocol;
using Ambrosia.V1;
using Grpc.Core;
using Grpc.Net.Client;
using static Ambrosia.ImmortalCoordinator.Tests.Ingress.IngressUnderTest;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>
/// outside-calls.md X27: an instance that forgets its keys when it ends takes only those that name it, whichever way they come.
/// </summary>
public sealed class KeyScopeTests : IAsyncLifetime
{
    private const string Here = "0123456789abcdef0123456789abcdef";
    private const string Former = "f123456789abcdef0123456789abcdef";
    private const string Body = """{"item":"tea"}""";
    private IngressUnderTest _ingress = null!;
    private GrpcChannel _channel = null!;

    public async Task InitializeAsync()
    {
        _ingress = await StartAsync(logEndsWithProcess: true);
        _channel = GrpcChannel.ForAddress(_ingress.Address);
    }

    public async Task DisposeAsync()
    {
        _channel.Dispose();
        await _ingress.DisposeAsync();
    }

    [Fact]
    public async Task Over_HTTP_a_key_names_the_instance_or_is_refused_with_its_id()
    {
        Answer without = await _ingress.CallAsync("Order", Body, IngressUnderTest.Key);
        Assert.Equal((400, "IC-7028", Here), ((int)without.Status, without.Code, without.InstanceId));
        Assert.Contains($"id=\"{Here}\"", without.Detail, StringComparison.Ordinal);
        Answer former = await _ingress.CallAsync("Order", Body, KeyOf(Former));
        Assert.Equal((410, "IC-7022", Here), ((int)former.Status, former.Code, former.InstanceId));
        Assert.Contains("may have run", former.Detail, StringComparison.Ordinal);
        Assert.Empty(_ingress.Entrance.Admitted);

        Assert.Equal(204, (int)(await _ingress.CallAsync("Order", Body, KeyOf(Here))).Status);
        Assert.Equal(204, (int)(await _ingress.CallAsync("Order", Body, KeyOf(Here))).Status);
        Assert.Equal(204, (int)(await _ingress.CallAsync("Order", Body)).Status); // Without a key it runs at most once anyway.
        Assert.Equal(2, _ingress.Entrance.Admitted.Count);
    }

    [Fact]
    public async Task That_a_call_has_not_run_is_said_of_a_key_of_this_start_alone()
    {
        Assert.Equal("IC-7017", (await LookAsync(KeyOf(Here))).Code);
        Assert.Equal("IC-7028", (await LookAsync(IngressUnderTest.Key)).Code);
        Assert.Equal("IC-7022", (await LookAsync(KeyOf(Former))).Code);

        // Nor that it was not understood: the start before may have understood it.
        Assert.Equal("IC-7001", (await _ingress.CallAsync("Order", "[]", KeyOf(Here))).Code);
        Assert.Equal("IC-7022", (await _ingress.CallAsync("Order", "[]", KeyOf(Former))).Code);
        Assert.Equal("IC-7022", (await _ingress.CallAsync("Order", Body, KeyOf(Former), "?wiat=5s")).Code);
        Assert.Equal("IC-7022", (await _ingress.CallAsync("Order", Body, KeyOf(Former), "?wait=soon")).Code);
        Assert.Equal("IC-7022", (await _ingress.CallAsync("Order", Body, KeyOf(Former), kind: "text/plain")).Code);
    }

    [Fact]
    public async Task A_location_asks_for_the_call_of_this_start()
    {
        _ingress.Entrance.Answer = static _ => null;
        Answer accepted = await _ingress.CallAsync("Order", Body, KeyOf(Here), "?mode=send");
        _ingress.Entrance.Complete(new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Value, new byte[] { 5 }));
        Assert.Equal("5\n", (await _ingress.GetAsync(accepted.Location!)).Text);
        _ingress.Entrance.InstanceId = new Guid(Former);
        Assert.Equal("IC-7022", (await _ingress.GetAsync(accepted.Location!)).Code);
    }

    [Fact]
    public async Task A_log_that_stays_asks_for_no_id_and_compares_one_that_is_said()
    {
        await using IngressUnderTest logged = await StartAsync();
        Assert.Equal(204, (int)(await logged.CallAsync("Order", Body, IngressUnderTest.Key)).Status);
        Assert.Equal(204, (int)(await logged.CallAsync("Order", Body, KeyOf(Here))).Status);
        Assert.Single(logged.Entrance.Admitted); // One key.
        Assert.Equal("IC-7022", (await logged.CallAsync("Order", Body, KeyOf(Former))).Code);
    }

    [Fact]
    public async Task A_process_that_does_not_know_its_instance_yet_says_nothing_of_a_key()
    {
        _ingress.Entrance.InstanceId = null;
        Assert.Equal("IC-7007", (await _ingress.CallAsync("Order", Body, IngressUnderTest.Key)).Code);
        Assert.Equal("IC-7007", (await _ingress.CallAsync("Order", Body, KeyOf(Here))).Code);
    }

    [Fact]
    public async Task The_same_holds_over_gRPC()
    {
        var client = new V1.Ingress.IngressClient(_channel);
        foreach ((string id, string code) in new[] { ("", "IC-7028"), (Former, "IC-7022") })
        {
            await RefusedAsync(code, client.CallAsync(Order(id)).ResponseAsync);
            await RefusedAsync(code, client.SendAsync(Order(id)).ResponseAsync);
            await RefusedAsync(code, client.GetCallAsync(new GetCallRequest { Instance = "shop", Key = Order(id).Key }).ResponseAsync);
        }

        Assert.Equal("IC-7002", (await Assert.ThrowsAsync<RpcException>(async () => await client.CallAsync(Order("x"))))
            .Trailers.GetValue("ambrosia-code"));
        Assert.Empty(_ingress.Entrance.Admitted);
        Assert.Equal(CallReply.OutcomeOneofCase.Nothing, (await client.CallAsync(Order(Here))).OutcomeCase);
    }

    [Fact]
    public async Task The_same_holds_for_each_call_of_a_stream()
    {
        using AsyncDuplexStreamingCall<CallBatch, ReplyBatch> stream = new V1.Ingress.IngressClient(_channel).Calls();
        var batch = new CallBatch();
        foreach ((string id, ulong number) in new (string, ulong)[] { ("", 1ul), (Former, 2), (Here, 3) })
        {
            batch.Calls.Add(new StreamedCall { Id = number, Call = Order(id) });
        }

        await stream.RequestStream.WriteAsync(batch);
        var replies = new List<StreamedReply>();
        while (replies.Count < 3 && await stream.ResponseStream.MoveNext(default))
        {
            replies.AddRange(stream.ResponseStream.Current.Replies);
        }

        await stream.RequestStream.CompleteAsync();
        Assert.Equal(
            [("IC-7028", Here), ("IC-7022", Here), (null, null)],
            replies.OrderBy(static reply => reply.Id).Select(static reply => (reply.Refusal?.Code, reply.Refusal?.InstanceId)));
        Assert.Single(_ingress.Entrance.Admitted);
    }

    [Fact]
    public async Task The_same_holds_for_typed_calls()
    {
        var client = new Shop.ShopClient(_channel);
        _ingress.Entrance.Answer = static _ =>
            new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Value, Convert.FromHexString("a5" + "31322e3530")); // The text 12.50.
        await RefusedAsync("IC-7028", client.OrderAsync(new OrderRequest { Item = "tea" }, With(IngressUnderTest.Key)).ResponseAsync);
        await RefusedAsync("IC-7022", client.OrderAsync(new OrderRequest { Item = "tea" }, With(KeyOf(Former))).ResponseAsync);
        Assert.Empty(_ingress.Entrance.Admitted);
        await client.OrderAsync(new OrderRequest { Item = "tea" }, With(KeyOf(Here)));
        Assert.Single(_ingress.Entrance.Admitted);
    }

    private static string KeyOf(string id) => $"{IngressUnderTest.Key};id=\"{id}\"";

    private static Metadata With(string key) => new() { { "idempotency-key", key } };

    private static CallRequest Order(string id) => new()
    {
        Instance = "shop", Method = "Order", Json = Body, Key = new Key { Text = "order-42", Made = 1_795_439_000_000, InstanceId = id },
    };

    private static async Task RefusedAsync(string code, Task call)
    {
        RpcException refused = await Assert.ThrowsAsync<RpcException>(() => call);
        Assert.Equal((code, Here), (refused.Trailers.GetValue("ambrosia-code"), refused.Trailers.GetValue("ambrosia-instance-id")));
    }

    private Task<Answer> LookAsync(string key) => _ingress.GetAsync($"/v1/calls/{Uri.EscapeDataString(key)}?method=Order");
}
