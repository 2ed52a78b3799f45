using System.Text;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Gateway;
using Ambrosia.Protocol;
using Ambrosia.V1;
using Google.Protobuf;
using Grpc.Core;
using Grpc.Net.Client;
using static Ambrosia.ImmortalCoordinator.Tests.Ingress.IngressUnderTest;
using QueryReply = Ambrosia.V1.QueryReply;
using QueryRequest = Ambrosia.V1.QueryRequest;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>Queries over gRPC, asked by a client that is generated from the published .proto: what GET does over HTTP.</summary>
public sealed class GrpcQueryTests : IAsyncLifetime
{
    private IngressUnderTest _ingress = null!;
    private GrpcChannel _channel = null!;
    private V1.Ingress.IngressClient _client = null!;
    private AppQuery? _asked;

    public async Task InitializeAsync()
    {
        _ingress = await StartAsync();
        AnswerWith(4711, QueryStatus.Answered, Convert.FromHexString("a531322e3530")); // The text 12.50.
        _channel = GrpcChannel.ForAddress(_ingress.Address);
        _client = new V1.Ingress.IngressClient(_channel);
    }

    public async Task DisposeAsync()
    {
        _channel.Dispose();
        await _ingress.DisposeAsync();
    }

    [Fact]
    public async Task A_query_is_asked_of_the_app_and_says_after_which_record_it_was_true()
    {
        QueryReply reply = await _client.QueryAsync(PriceOf("""{"item":"tea","count":2}"""));
        Assert.Equal(("\"12.50\"", 4711ul), (reply.Json, reply.Record));
        Assert.Equal("92a374656102", Arguments());
        reply = await _client.QueryAsync(Packed("92a374656103"));
        Assert.Equal(("a531322e3530", 4711ul), (Convert.ToHexString(reply.MessagePack.Span).ToLowerInvariant(), reply.Record));
        Assert.Equal(("92a374656103", 0ul), (Arguments(), _asked!.AtLeast));
        QueryRequest later = Packed("92a374656103");
        (later.AtLeast, later.MethodId, later.Method) = (9, 6, "whatever");
        await _client.QueryAsync(later);
        Assert.Equal(9ul, _asked.AtLeast);
        Assert.Empty(_ingress.Entrance.Admitted);
    }

    [Theory]
    [InlineData("Order", "{}", StatusCode.NotFound, "IC-7010", "no [Query]")]
    [InlineData("Close", "{}", StatusCode.NotFound, "IC-7010", "offered")]
    [InlineData("PriceOf", "{}", StatusCode.InvalidArgument, "IC-7001", "$.item")]
    [InlineData("PriceOf", "[", StatusCode.InvalidArgument, "IC-7001", "no JSON")]
    public async Task What_is_no_query_is_refused_and_asks_the_app_nothing(
        string method, string json, StatusCode status, string code, string says)
    {
        RpcException error = await RefusedAsync(new QueryRequest { Instance = "shop", Method = method, Json = json });
        Assert.Equal((status, code), (error.StatusCode, error.Trailers.GetValue("ambrosia-code")));
        Assert.Contains(says, error.Status.Detail, StringComparison.Ordinal);
        Assert.Null(_asked);
        error = await RefusedAsync(new QueryRequest { Instance = "bank", Method = "PriceOf", Json = json });
        Assert.Equal((StatusCode.NotFound, "shop"), (error.StatusCode, error.Trailers.GetValue("ambrosia-instance")));
        error = await RefusedAsync(Packed("91a3746561"));
        Assert.Equal(StatusCode.InvalidArgument, error.StatusCode);
    }

    [Fact] // Libraries try neither of them again by themselves.
    public async Task What_a_query_throws_is_a_status()
    {
        AnswerWith(1, QueryStatus.Failed, Encoding.UTF8.GetBytes("there is no tea"));
        RpcException error = await RefusedAsync(PriceOf("""{"item":"tea"}"""));
        Assert.Equal((StatusCode.FailedPrecondition, "IC-7011"), (error.StatusCode, error.Trailers.GetValue("ambrosia-code")));
        Assert.Contains("there is no tea", error.Status.Detail, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_query_that_waits_for_a_record_ends_with_the_record_that_it_waited_for()
    {
        await using IngressUnderTest brief = await StartAsync(IngressLimits.Product with { MostWait = TimeSpan.FromMilliseconds(100) });
        brief.Asked.Answer = static async (_, stop) =>
        {
            await Task.Delay(Timeout.Infinite, stop);
            return null!;
        };
        using GrpcChannel channel = GrpcChannel.ForAddress(brief.Address);
        QueryRequest request = PriceOf("""{"item":"tea"}""");
        request.AtLeast = 4712;
        RpcException error = await Assert.ThrowsAsync<RpcException>(() =>
            new V1.Ingress.IngressClient(channel).QueryAsync(request).ResponseAsync);
        Assert.Equal((StatusCode.DeadlineExceeded, "IC-7016"), (error.StatusCode, error.Trailers.GetValue("ambrosia-code")));
        Assert.Contains("record 4712", error.Status.Detail, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Queries_over_both_ways_have_one_share()
    {
        await using IngressUnderTest narrow = await StartAsync(IngressLimits.Product with { QueriesOfOne = 1 });
        var executed = new TaskCompletionSource<AppAnswer>(TaskCreationOptions.RunContinuationsAsynchronously);
        var come = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        narrow.Asked.Answer = (_, _) =>
        {
            come.TrySetResult();
            return executed.Task;
        };
        using GrpcChannel channel = GrpcChannel.ForAddress(narrow.Address);
        var client = new V1.Ingress.IngressClient(channel);
        AsyncUnaryCall<QueryReply> open = client.QueryAsync(PriceOf("""{"item":"tea"}"""));
        await come.Task;
        RpcException error = await Assert.ThrowsAsync<RpcException>(() => client.QueryAsync(PriceOf("""{"item":"tea"}""")).ResponseAsync);
        Assert.Equal((StatusCode.ResourceExhausted, "IC-7015"), (error.StatusCode, error.Trailers.GetValue("ambrosia-code")));
        Assert.Equal("IC-7015", (await narrow.GetAsync("/v1/immortals/shop/PriceOf?item=tea")).Code);
        executed.SetResult(new AppAnswer(9, QueryStatus.Answered, [5]));
        Assert.Equal("5", (await open).Json);
    }

    [Fact]
    public async Task A_query_that_is_not_offered_to_a_caller_is_not_there()
    {
        await using IngressUnderTest ingress = await StartAsync(methods: IngressMethods.TryParse("Order"));
        ingress.Asked.Answer = static (_, _) => Task.FromResult(new AppAnswer(1, QueryStatus.Answered, [5])); // The app would answer.
        using GrpcChannel channel = GrpcChannel.ForAddress(ingress.Address);
        RpcException error = await Assert.ThrowsAsync<RpcException>(() =>
            new V1.Ingress.IngressClient(channel).QueryAsync(PriceOf("""{"item":"tea"}""")).ResponseAsync);
        Assert.Equal((StatusCode.NotFound, "IC-7010"), (error.StatusCode, error.Trailers.GetValue("ambrosia-code")));
    }

    [Fact] // The first instance ends after it has got the query.
    public async Task Through_a_gateway_a_query_is_asked_again_after_its_instance_has_moved()
    {
        await using GatewayUnderTest gateway = await GatewayUnderTest.StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        shop.Asked.Answer = static (_, _) => Task.FromResult(new AppAnswer(7, QueryStatus.Answered, [0x10]));
        using var dies = new RawInstance(_ =>
        {
            gateway.PutAsync("shop", GatewayUnderTest.Id, shop.Address).GetAwaiter().GetResult();
            return null;
        });
        await gateway.PutAsync("shop", GatewayUnderTest.Id, dies.Address);
        using GrpcChannel channel = GrpcChannel.ForAddress(gateway.Address);
        var client = new V1.Ingress.IngressClient(channel);
        var token = new Metadata { { "authorization", "Bearer one" } };
        AsyncUnaryCall<QueryReply> asking = client.QueryAsync(PriceOf("""{"item":"tea"}"""), token);
        Assert.Null(await Record.ExceptionAsync(() => asking.ResponseAsync));
        QueryReply reply = await asking;
        Assert.Equal(("16", 7ul), (reply.Json, reply.Record));
        Assert.NotEmpty(dies.Requests);
        RpcException error = await Assert.ThrowsAsync<RpcException>(() => client.QueryAsync(PriceOf("{}")).ResponseAsync);
        Assert.Equal(StatusCode.Unauthenticated, error.StatusCode);
    }

    private static QueryRequest PriceOf(string json) => new() { Instance = "shop", Method = "PriceOf", Json = json };

    private static QueryRequest Packed(string hex) =>
        new() { Instance = "shop", Method = "IShop.PriceOf", MessagePack = ByteString.CopyFrom(Convert.FromHexString(hex)) };

    private async Task<RpcException> RefusedAsync(QueryRequest request) =>
        await Assert.ThrowsAsync<RpcException>(() => _client.QueryAsync(request).ResponseAsync);

    private string Arguments() => Convert.ToHexString(RpcHeader.Read(_asked!.Rpc).Body).ToLowerInvariant();

    private void AnswerWith(ulong lsn, QueryStatus status, byte[] body) => _ingress.Asked.Answer = (query, _) =>
    {
        _asked = query;
        return Task.FromResult(new AppAnswer(lsn, status, body));
    };
}
