using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Gateway;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.V1;
using Grpc.Core;
using Grpc.Net.Client;
using static Ambrosia.ImmortalCoordinator.Tests.Gateway.GatewayUnderTest;

namespace Ambrosia.ImmortalCoordinator.Tests.Gateway;

/// <summary>Completions of awakeables over gRPC through a gateway.</summary>
public sealed class GatewayAwakeableTests : IAsyncDisposable
{
    private const string OtherId = "f123456789abcdef0123456789abcdef";
    private const string Awakeables = """
        {"interface":"Shop.IShop","methods":[],"types":[],"awakeables":[{"id":7,"name":"Note","type":"text","types":[]}]}
        """;

    private readonly List<IDisposable> _channels = [];
    private GatewayUnderTest? _gateway;

    public async ValueTask DisposeAsync()
    {
        _channels.ForEach(static each => each.Dispose());
        await (_gateway?.DisposeAsync() ?? default);
    }

    [Fact]
    public async Task An_awakeable_is_completed_at_the_instance_that_is_named_without_a_token_where_that_is_asked_for()
    {
        V1.Ingress.IngressClient client = await OpenAsync(static options => options with { ServesAwakeables = true });
        await using IngressUnderTest shop = await _gateway!.AddAsync();
        shop.Told.Tell(Awakeables);
        for (int tries = 0; tries < 2; tries++)
        {
            Assert.Equal(AwakeableReply.OutcomeOneofCase.Taken, (await client.CompleteAwakeableAsync(Note("shop"))).OutcomeCase);
        }

        Assert.Equal([0xa2, .. "hi"u8], Assert.Single(shop.Awakeables.Taken));

        // One text, so that it says of no name whether it exists.
        string[] said = [.. await Task.WhenAll(new[] { "nowhere", "", "no name/" }.Select(
            async name => (await UnknownAsync(Note(name))).Status.Detail))];
        Assert.Single(said.Append((await UnknownAsync(Note("shop", "AAAA"))).Status.Detail).Distinct());
        RpcException meant = await Assert.ThrowsAsync<RpcException>(() => client.CompleteAwakeableAsync(
            Note("shop", "AAAA"), new Metadata { { "ambrosia-instance-id", OtherId } }).ResponseAsync);
        Assert.Equal("IC-7019", meant.Trailers.GetValue("ambrosia-code")); // Who has no token learns no ids.

        async Task<RpcException> UnknownAsync(AwakeableRequest request)
        {
            RpcException error = await Assert.ThrowsAsync<RpcException>(() => client.CompleteAwakeableAsync(request).ResponseAsync);
            Assert.Equal((StatusCode.NotFound, "IC-7019"), (error.StatusCode, error.Trailers.GetValue("ambrosia-code")));
            return error;
        }
    }

    [Fact]
    public async Task An_awakeable_needs_a_token_where_a_gateway_lets_nobody_else_in()
    {
        V1.Ingress.IngressClient client = await OpenAsync();
        await using IngressUnderTest shop = await _gateway!.AddAsync();
        shop.Told.Tell(Awakeables);
        await RequireAsync(StatusCode.Unauthenticated, "IC-7013", client.CompleteAwakeableAsync(Note("shop")));
        Assert.Equal(AwakeableReply.OutcomeOneofCase.Taken,
            (await client.CompleteAwakeableAsync(Note("shop"), Token("two"))).OutcomeCase); // Who may call only Order, too.
        await RequireAsync(StatusCode.NotFound, "IC-7023", client.CompleteAwakeableAsync(Note("nowhere"), Token("one")));
    }

    [Fact]
    public async Task Those_without_a_token_use_up_no_share_of_a_caller()
    {
        V1.Ingress.IngressClient client = await OpenAsync(static options => options with { ServesAwakeables = true, Rate = 1 });
        await using IngressUnderTest shop = await _gateway!.AddAsync();
        shop.Told.Tell(Awakeables);
        await RequireAsync(StatusCode.NotFound, "IC-7019", client.CompleteAwakeableAsync(Note("nowhere"), Token("four"))); // None counts.
        await RequireAsync(StatusCode.ResourceExhausted, "IC-7025", client.CompleteAwakeableAsync(Note("shop")));
        Metadata head = Token("one");
        head.Add("ambrosia-instance-id", OtherId); // Who has a token may say which instance it means, and is told.
        await RequireAsync(StatusCode.FailedPrecondition, "IC-7022", client.CompleteAwakeableAsync(Note("shop"), head));
        Assert.Equal(
            AwakeableReply.OutcomeOneofCase.Taken, (await client.CompleteAwakeableAsync(Note("shop"), Token("two"))).OutcomeCase);
    }

    [Fact] // Each completes once, so it may be sent again.
    public async Task A_completion_is_sent_again_after_its_instance_has_moved_and_waited_for()
    {
        V1.Ingress.IngressClient client = await OpenAsync(static options => options with { ServesAwakeables = true });
        await using IngressUnderTest shop = await _gateway!.AddAsync();
        shop.Told.Tell(Awakeables);
        shop.Awakeables.Says = new OutsideReply(OutsideReplyKind.Accepted); // The app has not said yet.
        using var dies = new RawInstance(_ =>
        {
            _gateway.PutAsync("shop", Id, shop.Address).GetAwaiter().GetResult();
            return null;
        });
        await _gateway.PutAsync("shop", Id, dies.Address);
        AsyncUnaryCall<AwakeableReply> completing = client.CompleteAwakeableAsync(Note("shop"), deadline: DateTime.UtcNow.AddSeconds(30));
        await Within.Until(() => shop.Awakeables.Kept.Count > 0);
        Assert.NotEmpty(dies.Requests);
        shop.Awakeables.Kept[shop.Awakeables.Kept.Keys.Single()] = FakeAwakeables.Value(0);
        Assert.Equal(AwakeableReply.OutcomeOneofCase.Taken, (await completing).OutcomeCase);
    }

    private static AwakeableRequest Note(string instance, string? id = null) =>
        new() { Instance = instance, Id = id ?? FakeAwakeables.Id().ToString(), Json = "\"hi\"" };

    private static Metadata Token(string token) => [new("authorization", $"Bearer {token}")];

    private static async Task RequireAsync<T>(StatusCode status, string code, AsyncUnaryCall<T> call)
    {
        RpcException error = await Assert.ThrowsAsync<RpcException>(() => call.ResponseAsync);
        Assert.Equal((status, code), (error.StatusCode, error.Trailers.GetValue("ambrosia-code")));
    }

    private async Task<V1.Ingress.IngressClient> OpenAsync(Func<GatewayOptions, GatewayOptions>? change = null)
    {
        _gateway = await StartAsync(change);
        var channel = GrpcChannel.ForAddress(_gateway.Address);
        _channels.Add(channel);
        return new V1.Ingress.IngressClient(channel);
    }
}
