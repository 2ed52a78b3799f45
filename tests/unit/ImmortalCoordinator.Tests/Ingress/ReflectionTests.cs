using System.Security.Cryptography;
using System.Text;
using Ambrosia.CoordinatorHost.Ingress;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Grpc.Core;
using Grpc.Net.Client;
using Grpc.Reflection.V1;
using Microsoft.Extensions.Logging.Abstractions;
using static Ambrosia.ImmortalCoordinator.Tests.Ingress.IngressUnderTest;
using Old = Grpc.Reflection.V1Alpha;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>Reflection, asked by a client that is generated from its .proto.</summary>
public sealed class ReflectionTests : IAsyncDisposable
{
    private const string Package = "ambrosia.apps.shop.shop";
    private const string Typed = Package + ".Shop";
    private static readonly string[] s_always =
        ["ambrosia.v1.Ingress", "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"];

    private readonly string _file = Path.Combine(Path.GetTempPath(), $"callers-{Guid.NewGuid():N}");
    private readonly List<IDisposable> _channels = [];
    private IngressUnderTest? _ingress;

    public async ValueTask DisposeAsync()
    {
        _channels.ForEach(static each => each.Dispose());
        await (_ingress?.DisposeAsync() ?? default);
        File.Delete(_file);
    }

    [Fact]
    public async Task Services_are_listed_and_their_files_parse()
    {
        GrpcChannel channel = await OpenAsync();
        ServerReflectionResponse[] answers = await AskAsync(channel,
            new() { Host = "here", ListServices = "" },
            new() { FileContainingSymbol = Typed },
            new() { FileContainingSymbol = Typed + ".PriceOf" },
            new() { FileContainingSymbol = "ambrosia.apps.shop.shop.OrderRequest" },
            new() { FileByFilename = "ambrosia/apps/shop/shop/service.proto" });
        Assert.Equal([Typed, .. s_always], NamesIn(answers[0]));
        Assert.Equal(("here", "here"), (answers[0].ValidHost, answers[0].OriginalRequest.Host));
        ByteString file = Assert.Single(answers[1].FileDescriptorResponse.FileDescriptorProto);
        Assert.All(answers[2..], answer => Assert.Equal(file, answer.FileDescriptorResponse.FileDescriptorProto.Single()));
        Assert.Equal(["Order", "AddByNumber", "AddByText", "Paint", "PriceOf"],
            FileDescriptor.BuildFromByteStrings([file])[0].Services[0].Methods.Select(static each => each.Name));
        foreach (string service in s_always)
        {
            ServerReflectionResponse answer = (await AskAsync(channel, new ServerReflectionRequest { FileContainingSymbol = service }))[0];
            FileDescriptor built = FileDescriptor.BuildFromByteStrings(answer.FileDescriptorResponse.FileDescriptorProto)[0];
            Assert.Equal(service, built.Services.Single().FullName);
        }
    }

    [Fact]
    public async Task The_older_name_of_the_service_answers_alike()
    {
        var client = new Old.ServerReflection.ServerReflectionClient(await OpenAsync());
        using AsyncDuplexStreamingCall<Old.ServerReflectionRequest, Old.ServerReflectionResponse> call = client.ServerReflectionInfo();
        await call.RequestStream.WriteAsync(new Old.ServerReflectionRequest { ListServices = "*" });
        Assert.True(await call.ResponseStream.MoveNext());
        Assert.Equal([Typed, .. s_always], call.ResponseStream.Current.ListServicesResponse.Service.Select(static each => each.Name));
        await call.RequestStream.CompleteAsync();
        Assert.False(await call.ResponseStream.MoveNext());
        Assert.Equal(StatusCode.OK, call.GetStatus().StatusCode);
    }

    [Fact]
    public async Task What_is_not_there_is_an_error_in_its_place_and_the_stream_goes_on()
    {
        ServerReflectionResponse[] answers = await AskAsync(await OpenAsync(),
            new() { FileContainingSymbol = Typed + ".Close" },
            new() { FileContainingSymbol = "" },
            new() { FileByFilename = "../../etc/passwd" },
            new() { FileContainingExtension = new ExtensionRequest { ContainingType = "a.B", ExtensionNumber = 1 } },
            new() { AllExtensionNumbersOfType = "a.B" },
            new(),
            new() { ListServices = "" });
        Assert.Equal([5, 5, 5, 5, 5, 3, 0], answers.Select(static each => each.ErrorResponse?.ErrorCode ?? 0));
        Assert.Equal(Typed + ".Close", answers[0].OriginalRequest.FileContainingSymbol);
        Assert.Contains("Close", answers[0].ErrorResponse.ErrorMessage, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Before_the_app_has_told_its_shapes_there_is_no_typed_service()
    {
        GrpcChannel channel = await OpenAsync();
        _ingress!.Told.Tell("nothing that can be read");
        Assert.Equal(s_always, NamesIn((await AskAsync(channel, new ServerReflectionRequest { ListServices = "" }))[0]));
    }

    [Fact]
    public async Task A_caller_sees_what_it_may_call_and_without_a_token_nothing()
    {
        await File.WriteAllTextAsync(_file, $"alice {Hash("one")}\nbob {Hash("two")} Order\ncarl {Hash("three")} Nothing\n");
        GrpcChannel channel = await OpenAsync(tokens: IngressTokens.Load(_file, TimeProvider.System, NullLogger.Instance));
        ServerReflectionRequest[] questions = [new() { ListServices = "" }, new() { FileContainingSymbol = Typed }];
        Assert.Equal(5, MethodsIn((await AskAsync(channel, "one", questions))[1]).Length);
        ServerReflectionResponse[] ofBob = await AskAsync(channel, "two",
            [.. questions, new() { FileContainingSymbol = Typed + ".Paint" }, new() { FileContainingSymbol = Package + ".PaintRequest" }]);
        Assert.Equal(["Order"], MethodsIn(ofBob[1]));
        Assert.Equal([5, 5], ofBob[2..].Select(static each => each.ErrorResponse.ErrorCode));
        ServerReflectionResponse[] ofCarl = await AskAsync(channel, "three", questions);
        Assert.Equal(s_always, NamesIn(ofCarl[0]));
        Assert.Equal(5, ofCarl[1].ErrorResponse.ErrorCode);
        foreach (string? token in new[] { null, "four" })
        {
            RpcException refused = await Assert.ThrowsAsync<RpcException>(() => AskAsync(channel, token, questions));
            Assert.Equal((StatusCode.Unauthenticated, "IC-7013"), (refused.StatusCode, refused.Trailers.GetValue("ambrosia-code")));
        }
    }

    [Fact]
    public async Task A_message_that_is_too_large_or_none_ends_the_stream_after_the_answers_before_it()
    {
        GrpcChannel channel = await OpenAsync();
        byte[] large = new ServerReflectionRequest { FileContainingSymbol = new string('x', 64 << 10) }.ToByteArray();
        foreach (byte[] message in new byte[][] { large, [0x1a, 200], [0x0b] })
        {
            using AsyncDuplexStreamingCall<byte[], byte[]> call = Raw(channel);
            await call.RequestStream.WriteAsync(new ServerReflectionRequest { ListServices = "" }.ToByteArray());
            Assert.True(await call.ResponseStream.MoveNext(default));
            await SendAsync(call.RequestStream, message);
            RpcException error = await Assert.ThrowsAsync<RpcException>(() => call.ResponseStream.MoveNext(default));
            Assert.Equal(StatusCode.InvalidArgument, error.StatusCode);
            Assert.StartsWith("IC-70", error.Trailers.GetValue("ambrosia-code"), StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task A_stream_that_ends_within_a_message_is_refused_and_an_empty_one_ends_well()
    {
        await OpenAsync();
        Assert.Equal("0", await StatusAfterAsync([]));
        Assert.Equal("3", await StatusAfterAsync([0, 0, 0]));
        Assert.Equal("3", await StatusAfterAsync([0, 0, 0, 0, 2, 0x3a]));
        Assert.Equal("3", await StatusAfterAsync([1, 0, 0, 0, 2, 0x3a, 0]));
        Assert.Equal("3", await StatusAfterAsync([0, 0xff, 0xff, 0xff, 0xff, 0x3a, 0]));
        Assert.Equal("3", await StatusAfterAsync([0, 0, 0, 0, 2, 0x3a, 0, 0, 0]));
    }

    [Fact]
    public async Task A_stream_ends_well_after_so_many_questions_or_so_long()
    {
        GrpcChannel channel = await OpenAsync(IngressLimits.Product with { Questions = 3 });
        Assert.Equal(3, (await AskAsync(channel, [.. Enumerable.Repeat(new ServerReflectionRequest { ListServices = "" }, 3)])).Length);
        using AsyncDuplexStreamingCall<byte[], byte[]> many = Raw(channel);
        for (int count = 0; count < 3; count++)
        {
            await many.RequestStream.WriteAsync(new ServerReflectionRequest { ListServices = "" }.ToByteArray());
            Assert.True(await many.ResponseStream.MoveNext(default));
        }

        Assert.False(await many.ResponseStream.MoveNext(default));
        Assert.Equal(StatusCode.OK, many.GetStatus().StatusCode);

        await _ingress!.DisposeAsync();
        channel = await OpenAsync(IngressLimits.Product with { QuestionsTime = TimeSpan.FromMilliseconds(200) });
        using AsyncDuplexStreamingCall<byte[], byte[]> idle = Raw(channel);
        await idle.RequestStream.WriteAsync(new ServerReflectionRequest { ListServices = "" }.ToByteArray());
        Assert.True(await idle.ResponseStream.MoveNext(default));
        Task<bool> end = idle.ResponseStream.MoveNext(default);
        Assert.Same(end, await Task.WhenAny(end, Task.Delay(TimeSpan.FromSeconds(10))));
        Assert.False(await end);
        Assert.Equal(StatusCode.OK, idle.GetStatus().StatusCode);
    }

    [Fact]
    public async Task A_client_that_never_reads_loses_its_stream_and_its_place()
    {
        GrpcChannel channel = await OpenAsync(IngressLimits.Product with
        {
            Requests = 1, RequestsOfOne = 1, QuestionsTime = TimeSpan.FromMilliseconds(500),
        });
        using AsyncDuplexStreamingCall<byte[], byte[]> call = Raw(channel);
        byte[] large = new ServerReflectionRequest { FileContainingSymbol = new string('x', 60_000) }.ToByteArray();
        Task asking = AskOnAsync(); // Each answer has the question in it, so they fill all that may be on the way.
        await UntilAsync(async () => (await _ingress!.GetAsync("/service.proto")).Status == System.Net.HttpStatusCode.OK);
        await asking;
        await Assert.ThrowsAsync<RpcException>(async () =>
        {
            while (await call.ResponseStream.MoveNext(default))
            {
                // What had arrived.
            }
        });
        Assert.NotEqual(StatusCode.OK, call.GetStatus().StatusCode);

        async Task AskOnAsync()
        {
            for (int count = 0; count < 50; count++)
            {
                try
                {
                    await SendAsync(call.RequestStream, large);
                }
                catch (IOException)
                {
                    return; // The stream was reset.
                }
            }
        }
    }

    [Fact]
    public async Task A_client_that_goes_away_leaves_its_place()
    {
        GrpcChannel channel = await OpenAsync(IngressLimits.Product with { Requests = 1, RequestsOfOne = 1 });
        for (int round = 0; round < 5; round++)
        {
            AsyncDuplexStreamingCall<byte[], byte[]> call = Raw(channel);
            await call.RequestStream.WriteAsync(new ServerReflectionRequest { ListServices = "" }.ToByteArray());
            Assert.True(await call.ResponseStream.MoveNext(default));
            RpcException full = await Assert.ThrowsAsync<RpcException>(() => AskAsync(channel, new ServerReflectionRequest()));
            Assert.Equal(StatusCode.ResourceExhausted, full.StatusCode);
            call.Dispose();
            await UntilAsync(async () => (await _ingress!.GetAsync("/service.proto")).Status == System.Net.HttpStatusCode.OK);
        }
    }

    // One that is refused by its first bytes cannot be sent to its end: the next read says why.
    private static async Task SendAsync<T>(IClientStreamWriter<T> stream, T message)
    {
        try
        {
            await stream.WriteAsync(message);
        }
        catch (Exception error) when (error is RpcException or InvalidOperationException)
        {
            // As above.
        }
    }

    private static async Task UntilAsync(Func<Task<bool>> holds)
    {
        for (int tries = 0; !await holds(); tries++)
        {
            Assert.True(tries < 500, "it has not happened in ten seconds");
            await Task.Delay(20);
        }
    }

    private static string[] NamesIn(ServerReflectionResponse answer) =>
        [.. answer.ListServicesResponse.Service.Select(static each => each.Name)];

    private static string[] MethodsIn(ServerReflectionResponse answer) =>
        [.. FileDescriptorProto.Parser.ParseFrom(answer.FileDescriptorResponse.FileDescriptorProto.Single()).Service[0].Method
            .Select(static each => each.Name)];

    private static string Hash(string token) => Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(token))).ToLowerInvariant();

    private static Task<ServerReflectionResponse[]> AskAsync(GrpcChannel channel, params ServerReflectionRequest[] questions) =>
        AskAsync(channel, null, questions);

    private static async Task<ServerReflectionResponse[]> AskAsync(
        GrpcChannel channel, string? token, ServerReflectionRequest[] questions)
    {
        var client = new ServerReflection.ServerReflectionClient(channel);
        Metadata metadata = token is null ? [] : new Metadata { { "authorization", $"Bearer {token}" } };
        using AsyncDuplexStreamingCall<ServerReflectionRequest, ServerReflectionResponse> call = client.ServerReflectionInfo(metadata);
        var answers = new List<ServerReflectionResponse>();
        foreach (ServerReflectionRequest question in questions)
        {
            await SendAsync(call.RequestStream, question);
            Assert.True(await call.ResponseStream.MoveNext(default));
            answers.Add(call.ResponseStream.Current);
        }

        await call.RequestStream.CompleteAsync();
        Assert.False(await call.ResponseStream.MoveNext(default));
        Assert.Equal(StatusCode.OK, call.GetStatus().StatusCode);
        return [.. answers];
    }

    private static AsyncDuplexStreamingCall<byte[], byte[]> Raw(GrpcChannel channel)
    {
        Marshaller<byte[]> bytes = Marshallers.Create(static each => each, static each => each);
        var method = new Method<byte[], byte[]>(
            MethodType.DuplexStreaming, "grpc.reflection.v1.ServerReflection", "ServerReflectionInfo", bytes, bytes);
        return channel.CreateCallInvoker().AsyncDuplexStreamingCall(method, null, default);
    }

    private async Task<string> StatusAfterAsync(byte[] body)
    {
        using var client = new HttpClient();
        using var request = new HttpRequestMessage(
            HttpMethod.Post, new Uri(_ingress!.Address, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"))
        {
            Version = new Version(2, 0),
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = new ByteArrayContent(body),
        };
        request.Content.Headers.ContentType = new("application/grpc");
        using HttpResponseMessage response = await client.SendAsync(request);
        await response.Content.ReadAsByteArrayAsync();
        return response.Headers.TryGetValues("grpc-status", out IEnumerable<string>? head) ? head.Single()
            : response.TrailingHeaders.GetValues("grpc-status").Single();
    }

    private async Task<GrpcChannel> OpenAsync(IngressLimits? limits = null, IngressTokens? tokens = null)
    {
        _ingress = await StartAsync(limits, tokens);
        var channel = GrpcChannel.ForAddress(_ingress.Address);
        _channels.Add(channel);
        return channel;
    }
}
