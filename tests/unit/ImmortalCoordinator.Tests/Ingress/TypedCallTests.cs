using Ambrosia.Apps.Shop.Shop;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.Protocol;
using Grpc.Core;
using Grpc.Net.Client;
using static Ambrosia.ImmortalCoordinator.Tests.Ingress.IngressUnderTest;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>The typed service, asked by a client that is generated from the .proto which the address serves.</summary>
public sealed class TypedCallTests : IAsyncLifetime
{
    private static readonly Metadata s_key = new() { { "idempotency-key", IngressUnderTest.Key } };
    private IngressUnderTest _ingress = null!;
    private GrpcChannel _channel = null!;
    private Shop.ShopClient _client = null!;

    public async Task InitializeAsync()
    {
        _ingress = await StartAsync();
        _channel = GrpcChannel.ForAddress($"http://127.0.0.1:{_ingress.Port}");
        _client = new Shop.ShopClient(_channel);
    }

    public async Task DisposeAsync()
    {
        _channel.Dispose();
        await _ingress.DisposeAsync();
    }

    [Fact]
    public async Task A_typed_call_is_checked_and_written_as_the_call_over_HTTP()
    {
        _ingress.Entrance.Answer = static _ => Value("a5" + "31322e3530"); // The text 12.50.
        Assert.Equal("12.50", (await _client.OrderAsync(new OrderRequest { Item = "tea", Count = 2 }, s_key)).Result);
        Assert.Equal("12.50", (await _client.OrderAsync(new OrderRequest { Item = "tea", Count = 2 }, s_key)).Result);
        OutsideSubmission call = Assert.Single(_ingress.Entrance.Admitted);
        Assert.Equal((1, "92a374656102"), (call.Method, Convert.ToHexString(call.Arguments.Span).ToLowerInvariant()));
        await RefusedAsync(
            StatusCode.AlreadyExists, "IC-7003", "", _client.OrderAsync(new OrderRequest { Item = "tea", Count = 3 }, s_key).ResponseAsync);
    }

    [Fact] // A client of a gateway that is led to an instance directly would run its call there, whichever instance that is.
    public async Task A_call_that_means_another_instance_does_not_run_here()
    {
        _ingress.Entrance.Answer = static _ => Value("a131");
        var request = new OrderRequest { Item = "tea" };
        await RefusedAsync(
            StatusCode.NotFound, "IC-7010", "this is shop, not bank", _client.OrderAsync(request, Naming("bank")).ResponseAsync);
        await RefusedAsync(
            StatusCode.NotFound, "IC-7010", "this is shop, not", _client.OrderAsync(request, Naming("shop", "bank")).ResponseAsync);
        Assert.Empty(_ingress.Entrance.Admitted);
        await _client.OrderAsync(request, Naming("shop"));
        Assert.Single(_ingress.Entrance.Admitted);
        var reflection = new Grpc.Reflection.V1.ServerReflection.ServerReflectionClient(_channel);
        await RefusedAsync(
            StatusCode.NotFound, "IC-7010", "this is shop, not bank",
            reflection.ServerReflectionInfo(Naming("bank")).ResponseStream.MoveNext(default));

        static Metadata Naming(params string[] names)
        {
            var head = new Metadata();
            Array.ForEach(names, name => head.Add("ambrosia-instance", name));
            return head;
        }
    }

    [Fact]
    public async Task An_optional_field_that_is_not_sent_is_the_default_and_one_that_is_zero_is_zero()
    {
        _ingress.Entrance.Answer = static _ => Value("a131");
        await _client.OrderAsync(new OrderRequest { Item = "tea" });
        await _client.OrderAsync(new OrderRequest { Item = "tea", Count = 0 });
        await _client.OrderAsync(new OrderRequest());
        Assert.Equal(["92a374656101", "92a374656100", "92a001"], _ingress.Entrance.Admitted.Select(static call =>
            Convert.ToHexString(call.Arguments.Span).ToLowerInvariant()));
    }

    [Fact]
    public async Task Each_of_several_methods_of_one_name_is_called_by_its_own()
    {
        _ingress.Entrance.Answer = static call => call.Method == 2 ? Value("d3fffffffffffffffb") : new OutsideReply(
            OutsideReplyKind.Answer, (byte)RpcForm.Void);
        Assert.Equal(-5, (await _client.AddByNumberAsync(new AddByNumberRequest { Number = long.MinValue })).Result);
        await _client.AddByTextAsync(new AddByTextRequest { Text = "5" });
        Assert.Equal([2, 3], _ingress.Entrance.Admitted.Select(static call => call.Method));
    }

    [Fact]
    public async Task What_does_not_fit_is_refused_and_never_called()
    {
        await RefusedAsync(
            StatusCode.InvalidArgument, "IC-7001", "Green", _client.PaintAsync(new PaintRequest { Colour = "Green" }).ResponseAsync);
        foreach ((byte[] bytes, string reason) in new (byte[], string)[]
        {
            ([0x1a, 0], "no field 3"), ([0x08, 1], "another kind"), ([0x0a, 5, 1], "ends too early"), ([0x0a], "ends too early"),
            ([0x0a, 2, 0xc3, 0x28], "UTF-8"), ([0x0b], "group"), ([0x00], "no field"),
            ([0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], "ends too early"),
            ([0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], "64 bits"),
            ([0x10, 0x80, 0x80, 0x80, 0x80, 0x20], "32 bits"),
        })
        {
            await RefusedAsync(StatusCode.InvalidArgument, "IC-7001", reason, RawAsync("Order", bytes));
        }

        await RefusedAsync(StatusCode.NotFound, "IC-7010", "Close", RawAsync("Close", []));
        await RefusedAsync(StatusCode.InvalidArgument, "IC-7002", "key", _client.OrderAsync(
            new OrderRequest(), new Metadata { { "idempotency-key", "no key" } }).ResponseAsync);
        Assert.Empty(_ingress.Entrance.Admitted);
    }

    [Fact]
    public async Task An_exception_is_a_status_that_is_not_tried_again()
    {
        _ingress.Entrance.Answer = static _ => new OutsideReply(
            OutsideReplyKind.Answer, (byte)RpcForm.Exception, Convert.FromHexString("94a3412e42a36e6f21a0c0"));
        await RefusedAsync(StatusCode.FailedPrecondition, "IC-7011", "A.B: no!", _client.OrderAsync(new OrderRequest()).ResponseAsync);
    }

    [Fact]
    public async Task An_answer_of_another_type_than_todays_does_not_fit()
    {
        _ingress.Entrance.Answer = static _ => Value("93010203");
        await RefusedAsync(
            StatusCode.FailedPrecondition, "IC-7027", "", _client.AddByNumberAsync(new AddByNumberRequest(), s_key).ResponseAsync);
    }

    [Fact]
    public async Task A_call_that_is_not_answered_in_time_can_be_repeated_with_its_key()
    {
        _ingress.Entrance.Answer = static _ => null;
        Task<OrderReply> pending = _client.OrderAsync(
            new OrderRequest { Item = "tea" }, s_key, DateTime.UtcNow.AddSeconds(2)).ResponseAsync;
        RpcException late = await Assert.ThrowsAsync<RpcException>(() => pending);
        Assert.Equal(StatusCode.DeadlineExceeded, late.StatusCode);
        _ingress.Entrance.Complete(Value("a131"));
        Assert.Equal("1", (await _client.OrderAsync(new OrderRequest { Item = "tea" }, s_key)).Result);
    }

    [Fact]
    public async Task A_repeat_is_the_same_call_when_an_upgrade_has_added_or_renamed_members()
    {
        byte[] message = [0x0a, 5, 0x0a, 3, (byte)'t', (byte)'e', (byte)'a'];
        _ingress.Entrance.Answer = static _ => Value("05");
        _ingress.Told.Tell(ShapesWith("""{"name":"Item","type":"text","at":0,"needed":true}"""));
        byte[] first = await RawAsync("Order", message, s_key);
        _ingress.Told.Tell(ShapesWith("""
            {"name":"Article","type":"text","at":0,"needed":true},{"name":"Count","type":"int32","at":1,"needed":true},
            {"name":"Tags","type":"[text]","at":2},{"name":"Note","type":"text?","at":3,"needed":true},
            {"name":"By","type":"{text:int32}","at":4}
            """));
        Assert.Equal(first, await RawAsync("Order", message, s_key));
        Assert.Single(_ingress.Entrance.Admitted);
        await RefusedAsync(StatusCode.AlreadyExists, "IC-7003", "", RawAsync("Order", [0x0a, 7, .. message[2..], 0x10, 1], s_key));
        await RefusedAsync(StatusCode.AlreadyExists, "IC-7003", "", RawAsync("Order", [0x0a, 7, .. message[2..], 0x1a, 0], s_key));

        static string ShapesWith(string slots) => $$"""
            {"interface":"Shop.IShop","methods":[
            {"id":1,"name":"Order","impulse":true,"parameters":[{"name":"order","type":"#0"}],"result":"int32"}],
            "types":[{"name":"Order","slots":[{{slots}}]}]}
            """;
    }

    [Fact]
    public async Task What_a_message_becomes_counts_among_the_bytes_of_its_caller()
    {
        await _ingress.DisposeAsync();
        _channel.Dispose();
        _ingress = await StartAsync(IngressLimits.Product with { Body = 64 << 10, MostBodies = 256 << 10 });
        _channel = GrpcChannel.ForAddress($"http://127.0.0.1:{_ingress.Port}");
        _client = new Shop.ShopClient(_channel);
        _ingress.Entrance.Answer = static _ => null;
        var request = new OrderRequest { Item = new string('\u0001', 20_000) }; // Six bytes each in JSON.
        using var hangUp = new CancellationTokenSource();
        Task first = _client.OrderAsync(request, cancellationToken: hangUp.Token).ResponseAsync;
        Assert.True(SpinWait.SpinUntil(() => _ingress.Entrance.Admitted.Count == 1, TimeSpan.FromSeconds(10)));
        await RefusedAsync(StatusCode.ResourceExhausted, "IC-7015", "", _client.OrderAsync(request).ResponseAsync);
        await hangUp.CancelAsync();
        await Assert.ThrowsAsync<RpcException>(() => first);
    }

    [Fact]
    public async Task A_query_is_asked_and_not_logged()
    {
        _ingress.Asked.Answer = static (_, _) => Task.FromResult(new AppAnswer(7, QueryStatus.Answered, [0xa1, (byte)'2']));
        Assert.Equal("2", (await _client.PriceOfAsync(new PriceOfRequest { Item = "tea" })).Result);
        Assert.Empty(_ingress.Entrance.Admitted);
    }

    private static OutsideReply Value(string hex) => new(OutsideReplyKind.Answer, (byte)RpcForm.Value, Convert.FromHexString(hex));

    private async Task<byte[]> RawAsync(string method, byte[] message, Metadata? metadata = null)
    {
        Marshaller<byte[]> bytes = Marshallers.Create(static each => each, static each => each);
        var raw = new Method<byte[], byte[]>(MethodType.Unary, "ambrosia.apps.shop.shop.Shop", method, bytes, bytes);
        return await _channel.CreateCallInvoker().AsyncUnaryCall(
            raw, null, new CallOptions(metadata), message).ResponseAsync;
    }

    private static async Task RefusedAsync(StatusCode status, string code, string detail, Task call)
    {
        RpcException error = await Assert.ThrowsAsync<RpcException>(() => call);
        Assert.Equal((status, code), (error.StatusCode, error.Trailers.GetValue("ambrosia-code")));
        Assert.Contains(detail, error.Status.Detail, StringComparison.Ordinal);
    }
}
