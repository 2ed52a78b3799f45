using Ambrosia.CoordinatorHost.Gateway;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Google.Protobuf.Reflection;
using Grpc.Core;
using Grpc.Net.Client;
using Grpc.Reflection.V1;
using static Ambrosia.ImmortalCoordinator.Tests.Gateway.GatewayUnderTest;

namespace Ambrosia.ImmortalCoordinator.Tests.Gateway;

/// <summary>Reflection through a gateway, asked by a client that is generated from its .proto.</summary>
public sealed class GatewayReflectionTests : IAsyncDisposable
{
    private const string OtherId = "f123456789abcdef0123456789abcdef";
    private const string Typed = "ambrosia.apps.shop.shop.Shop";
    private static readonly string[] s_always =
        ["ambrosia.v1.Ingress", "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"];

    private readonly List<IDisposable> _channels = [];
    private GatewayUnderTest? _gateway;

    public async ValueTask DisposeAsync()
    {
        _channels.ForEach(static each => each.Dispose());
        await (_gateway?.DisposeAsync() ?? default);
    }

    [Fact]
    public async Task Without_a_name_a_gateway_tells_what_it_serves_itself()
    {
        GrpcChannel channel = await OpenAsync();
        ServerReflectionResponse[] answers = await AskAsync(
            channel, Token("one"), new() { ListServices = "" }, new() { FileContainingSymbol = "ambrosia.v1.Ingress" },
            new() { FileContainingSymbol = Typed });
        Assert.Equal(s_always, NamesIn(answers[0]));
        Assert.Single(answers[1].FileDescriptorResponse.FileDescriptorProto);
        Assert.Equal(5, answers[2].ErrorResponse.ErrorCode);
        foreach (Metadata head in new[] { new Metadata(), [new("ambrosia-instance", "shop")], Token("four") })
        {
            Assert.Equal((StatusCode.Unauthenticated, "IC-7013"), await RefusedAsync(channel, head));
        }
    }

    [Fact]
    public async Task Of_the_instance_that_is_named_each_caller_is_told_what_it_may_call_there()
    {
        GrpcChannel channel = await OpenAsync();
        await using IngressUnderTest shop = await _gateway!.AddAsync();
        await using IngressUnderTest bank = await _gateway.AddAsync("bank", OtherId);
        bank.Told.Tell("nothing that can be read");
        ServerReflectionRequest[] questions =
            [new() { Host = "here", ListServices = "" }, new() { FileContainingSymbol = Typed }, new() { FileByFilename = "nowhere" }];
        ServerReflectionResponse[] ofAlice = await AskAsync(channel, [.. Token("one"), new("ambrosia-instance", "shop")], questions);
        Assert.Equal([Typed, .. s_always], NamesIn(ofAlice[0]));
        Assert.Equal("here", ofAlice[0].ValidHost);
        Assert.Equal(["Order", "AddByNumber", "AddByText", "Paint", "PriceOf"], MethodsIn(ofAlice[1]));
        Assert.Equal(5, ofAlice[2].ErrorResponse.ErrorCode);
        Assert.Equal(["Order"], MethodsIn((await AskAsync(channel, [.. Token("two"), new("ambrosia-instance", "shop")], questions))[1]));
        Assert.Equal(s_always, NamesIn((await AskAsync(channel, [.. Token("one"), new("ambrosia-instance", "bank")], questions))[0]));
        Assert.Equal((StatusCode.NotFound, "IC-7023"), await RefusedAsync(channel, [.. Token("one"), new("ambrosia-instance", "nowhere")]));
        Assert.Equal((StatusCode.NotFound, "IC-7023"), await RefusedAsync(
            channel, [.. Token("one"), new("ambrosia-instance", "shop"), new("ambrosia-instance", "bank")])); // Two are none.
        Assert.Equal((StatusCode.FailedPrecondition, "IC-7022"), await RefusedAsync(
            channel, [.. Token("one"), new("ambrosia-instance", "shop"), new("ambrosia-instance-id", OtherId)]));
    }

    [Fact]
    public async Task A_stream_of_questions_goes_on_after_its_instance_has_moved()
    {
        GrpcChannel channel = await OpenAsync();
        IngressUnderTest first = await _gateway!.AddAsync();
        using AsyncDuplexStreamingCall<ServerReflectionRequest, ServerReflectionResponse> call =
            new ServerReflection.ServerReflectionClient(channel).ServerReflectionInfo([.. Token("one"), new("ambrosia-instance", "shop")]);
        await AskAsync();
        await first.DisposeAsync();
        await using IngressUnderTest second = await _gateway.AddAsync();
        await AskAsync();
        await call.RequestStream.CompleteAsync();
        Assert.False(await call.ResponseStream.MoveNext(default));

        async Task AskAsync()
        {
            await call.RequestStream.WriteAsync(new ServerReflectionRequest { ListServices = "" });
            Assert.True(await call.ResponseStream.MoveNext(default));
            Assert.Contains(Typed, NamesIn(call.ResponseStream.Current));
        }
    }

    [Fact]
    public async Task Questions_that_go_on_count_and_a_gateway_that_stops_waits_for_no_more_of_them()
    {
        GrpcChannel channel = await OpenAsync(static options => options with { Rate = 3 });
        await using IngressUnderTest shop = await _gateway!.AddAsync();
        using AsyncDuplexStreamingCall<ServerReflectionRequest, ServerReflectionResponse> held =
            new ServerReflection.ServerReflectionClient(channel).ServerReflectionInfo(Token("two"));
        Metadata head = [.. Token("one"), new("ambrosia-instance", "shop")];
        ServerReflectionRequest[] many = [.. Enumerable.Repeat(new ServerReflectionRequest { ListServices = "" }, 50)];
        RpcException error = await Assert.ThrowsAsync<RpcException>(() => AskAsync(channel, head, many));
        Assert.Equal((StatusCode.ResourceExhausted, "IC-7025"), (error.StatusCode, error.Trailers.GetValue("ambrosia-code")));
        await held.RequestStream.WriteAsync(many[0]);
        Assert.True(await held.ResponseStream.MoveNext(default));
        Assert.Equal(0, await _gateway.Server.StopAsync(Patience.Time).OrFail());
        error = await Assert.ThrowsAsync<RpcException>(() => held.ResponseStream.MoveNext(default));
        Assert.Equal((StatusCode.Unavailable, "IC-7007"), (error.StatusCode, error.Trailers.GetValue("ambrosia-code")));
    }

    private static Metadata Token(string token) => [new("authorization", $"Bearer {token}")];

    private static async Task<(StatusCode, string?)> RefusedAsync(GrpcChannel channel, Metadata head)
    {
        RpcException error = await Assert.ThrowsAsync<RpcException>(
            () => AskAsync(channel, head, new ServerReflectionRequest { ListServices = "" }));
        return (error.StatusCode, error.Trailers.GetValue("ambrosia-code"));
    }

    private static async Task<ServerReflectionResponse[]> AskAsync(
        GrpcChannel channel, Metadata head, params ServerReflectionRequest[] questions)
    {
        using AsyncDuplexStreamingCall<ServerReflectionRequest, ServerReflectionResponse> call =
            new ServerReflection.ServerReflectionClient(channel).ServerReflectionInfo(head);
        var answers = new List<ServerReflectionResponse>();
        foreach (ServerReflectionRequest question in questions)
        {
            try
            {
                await call.RequestStream.WriteAsync(question);
            }
            catch (Exception error) when (error is RpcException or InvalidOperationException)
            {
                // It was refused: the next read says why.
            }

            Assert.True(await call.ResponseStream.MoveNext(default));
            answers.Add(call.ResponseStream.Current);
        }

        await call.RequestStream.CompleteAsync();
        Assert.False(await call.ResponseStream.MoveNext(default));
        return [.. answers];
    }

    private static string[] NamesIn(ServerReflectionResponse answer) =>
        [.. answer.ListServicesResponse.Service.Select(static each => each.Name)];

    private static string[] MethodsIn(ServerReflectionResponse answer) =>
        [.. FileDescriptorProto.Parser.ParseFrom(answer.FileDescriptorResponse.FileDescriptorProto.Single())
            .Service[0].Method.Select(static each => each.Name)];

    private async Task<GrpcChannel> OpenAsync(Func<GatewayOptions, GatewayOptions>? change = null)
    {
        _gateway = await StartAsync(change);
        var channel = GrpcChannel.ForAddress(_gateway.Address);
        _channels.Add(channel);
        return channel;
    }
}
