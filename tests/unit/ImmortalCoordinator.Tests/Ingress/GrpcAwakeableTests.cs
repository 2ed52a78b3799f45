using System.Net;
using System.Net.Http.Headers;
using System.Security.Cryptography;
using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;
using Ambrosia.V1;
using Google.Protobuf;
using Grpc.Core;
using Grpc.Net.Client;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>
/// Completions of awakeables over gRPC, by a client that is generated from the published .proto: what HTTP does
/// (docs/internals/outside-calls.md X29).
/// </summary>
public sealed class GrpcAwakeableTests : IAsyncDisposable
{
    private const string Shapes = """
        {"interface":"Shop.IShop","methods":[],"types":[],"awakeables":[{"id":7,"name":"Decision","type":"#0",
        "types":[{"name":"Decision","members":[{"name":"Approved","type":"bool","needed":true}]}]},
        {"id":9,"name":"Note","type":"text?","types":[]}]}
        """;

    private const string Yes = """{"Approved":true}""";
    private static readonly byte[] s_yes = [0x81, 0xa8, .. "Approved"u8, 0xc3];
    private readonly List<IDisposable> _channels = [];
    private IngressUnderTest? _ingress;

    private FakeAwakeables Awakeables => _ingress!.Awakeables;

    public async ValueTask DisposeAsync()
    {
        _channels.ForEach(static each => each.Dispose());
        await (_ingress?.DisposeAsync() ?? default);
    }

    [Fact]
    public async Task The_value_reaches_the_app_and_a_repeat_does_not_whichever_way_it_comes()
    {
        V1.Ingress.IngressClient client = await OpenAsync();
        for (int tries = 0; tries < 2; tries++)
        {
            Assert.Equal(AwakeableReply.OutcomeOneofCase.Taken, (await client.CompleteAwakeableAsync(OfJson(Yes))).OutcomeCase);
        }

        IngressUnderTest.Answer overHttp = await PostAsync(Yes);
        Assert.Equal((HttpStatusCode.OK, "{\"taken\":true}\n"), (overHttp.Status, overHttp.Text));
        Assert.Equal(s_yes, Assert.Single(Awakeables.Taken));

        // Other bytes are another completion: which of them counts, the app says.
        for (int tries = 0; tries < 2; tries++)
        {
            Assert.Equal(AwakeableReply.OutcomeOneofCase.Taken, (await client.CompleteAwakeableAsync(Packed(s_yes))).OutcomeCase);
        }

        Assert.Equal([s_yes, s_yes], Awakeables.Taken);
    }

    [Fact]
    public async Task A_rejection_has_its_reason_or_none()
    {
        V1.Ingress.IngressClient client = await OpenAsync();
        await client.CompleteAwakeableAsync(Rejecting("zu teuer \u20ac"));
        await client.CompleteAwakeableAsync(Rejecting(""));
        Assert.Equal(["zu teuer \u20ac", ""], Awakeables.Taken.Select(static each => System.Text.Encoding.UTF8.GetString(each)));
        await RefusedAsync(StatusCode.FailedPrecondition, "IC-7021", false,
            client.CompleteAwakeableAsync(Rejecting(new string('x', AwakeableCompletion.MaxReason + 1))));
    }

    [Fact]
    public async Task A_token_is_not_asked_for_and_opens_nothing()
    {
        string path = Path.GetTempFileName();
        try
        {
            await File.WriteAllTextAsync(path, $"webshop {Convert.ToHexString(SHA256.HashData("secret"u8))}\n");
            V1.Ingress.IngressClient client = await OpenAsync(
                tokens: IngressTokens.Load(path, TimeProvider.System, NullLogger.Instance));
            await client.CompleteAwakeableAsync(OfJson(Yes));
            var token = new Metadata { { "authorization", "Bearer secret" } };
            await RefusedAsync(StatusCode.NotFound, "IC-7019", false, client.CompleteAwakeableAsync(OfJson(Yes, "AAAA"), token));
            await RefusedAsync(StatusCode.Unauthenticated, "IC-7013", false, client.QueryAsync(new V1.QueryRequest()));
            Assert.Single(Awakeables.Taken);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public async Task An_id_that_was_not_given_out_here_is_unknown_and_so_is_one_for_another_instance()
    {
        V1.Ingress.IngressClient client = await OpenAsync();
        AwakeableRequest request = OfJson(Yes);
        request.Instance = "shop";
        await client.CompleteAwakeableAsync(request);
        request.Instance = "bank";
        await RefusedAsync(StatusCode.NotFound, "IC-7019", false, client.CompleteAwakeableAsync(request));
        string id = FakeAwakeables.Id().ToString();
        string guessed = (id[0] == 'A' ? "B" : "A") + id[1..];
        foreach (string other in new[] { "", "AAAA", guessed, new string('A', 2000) })
        {
            RpcException error = await Assert.ThrowsAsync<RpcException>(
                () => client.CompleteAwakeableAsync(OfJson("no JSON", other)).ResponseAsync);
            Assert.Equal((other.Length > 1000 ? StatusCode.InvalidArgument : StatusCode.NotFound,
                other.Length > 1000 ? "IC-7001" : "IC-7019"), (error.StatusCode, error.Trailers.GetValue("ambrosia-code")));
        }

        Assert.Single(Awakeables.Taken);
        var meant = new Metadata { { "ambrosia-instance-id", "f123456789abcdef0123456789abcdef" } };
        RpcException moved = await RefusedAsync(
            StatusCode.FailedPrecondition, "IC-7022", false, client.CompleteAwakeableAsync(OfJson(Yes), meant));
        Assert.Null(moved.Trailers.GetValue("ambrosia-instance-id")); // No token was asked for.
        Assert.DoesNotContain("shop", moved.Status.Detail, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_the_app_says_decides()
    {
        V1.Ingress.IngressClient client = await OpenAsync();
        await SaysAsync(FakeAwakeables.Value(AwakeableCompletion.NotOpen), StatusCode.FailedPrecondition, "IC-7020", true);
        RpcException refused = await SaysAsync(
            FakeAwakeables.Value([0xa3, .. "why"u8]), StatusCode.FailedPrecondition, "IC-7021", false);
        Assert.Contains("why", refused.Status.Detail, StringComparison.Ordinal);
        await SaysAsync(new OutsideReply(OutsideReplyKind.Full), StatusCode.ResourceExhausted, "IC-7006", false);
        await SaysAsync(new OutsideReply(OutsideReplyKind.Unknown), StatusCode.NotFound, "IC-7019", false);
        Awakeables.Kept.Clear();
        Awakeables.Says = new OutsideReply(OutsideReplyKind.Accepted);
        Assert.Equal(AwakeableReply.OutcomeOneofCase.Accepted, (await client.CompleteAwakeableAsync(OfJson(Yes))).OutcomeCase);
        Awakeables.Refuses = OutsideReplyKind.Unavailable;
        await RefusedAsync(StatusCode.Unavailable, "IC-7007", false, client.CompleteAwakeableAsync(OfJson(Yes)));

        async Task<RpcException> SaysAsync(OutsideReply says, StatusCode status, string code, bool isFinal)
        {
            Awakeables.Kept.Clear();
            Awakeables.Says = says;
            return await RefusedAsync(status, code, isFinal, client.CompleteAwakeableAsync(OfJson(Yes)));
        }
    }

    [Fact]
    public async Task What_is_no_value_of_the_type_leaves_it_open()
    {
        V1.Ingress.IngressClient client = await OpenAsync();
        AwakeableRequest nothing = OfJson(Yes);
        nothing.ClearCompletion();
        AwakeableRequest[] requests =
        [
            nothing, OfJson(""), OfJson("{"), OfJson("null"), OfJson("""{"Approved":1}"""), Packed(), Packed(0xc1), Packed(0xc0),
            Packed(0x92, 0xc3), Packed([.. s_yes, 0xc0]), OfJson(Yes, FakeAwakeables.Id(8).ToString()),
        ];
        foreach (AwakeableRequest request in requests)
        {
            await RefusedAsync(StatusCode.FailedPrecondition, "IC-7021", false, client.CompleteAwakeableAsync(request));
        }

        Assert.Empty(Awakeables.Taken);
        AwakeableRequest note = Packed(0xc0);
        note.Id = FakeAwakeables.Id(9).ToString();
        await client.CompleteAwakeableAsync(note); // It may be null.
        Assert.Equal([0xc0], Assert.Single(Awakeables.Taken));
    }

    [Fact] // outside-calls.md X24
    public async Task What_an_earlier_version_has_taken_stays_taken()
    {
        V1.Ingress.IngressClient client = await OpenAsync();
        await client.CompleteAwakeableAsync(OfJson(Yes));
        _ingress!.Told.Tell(Shapes.Replace("\"bool\"", "\"int32\"", StringComparison.Ordinal));
        await client.CompleteAwakeableAsync(OfJson(Yes));
        await RefusedAsync(StatusCode.FailedPrecondition, "IC-7021", false,
            client.CompleteAwakeableAsync(OfJson("""{"Approved":false}""")));
        Assert.Single(Awakeables.Taken);
    }

    [Fact]
    public async Task Sizes_have_limits_and_so_has_the_share_of_awakeables()
    {
        V1.Ingress.IngressClient client = await OpenAsync(IngressLimits.Product with { Body = 10_000 });
        await RefusedAsync(StatusCode.InvalidArgument, "IC-7014", false, client.CompleteAwakeableAsync(OfJson(new string(' ', 10_001))));
        await RefusedAsync(StatusCode.InvalidArgument, "IC-7014", false,
            client.CompleteAwakeableAsync(Packed([0xda, 8, 0, .. new byte[2048]]))); // --max-message-size
        await _ingress!.DisposeAsync();
        client = await OpenAsync(IngressLimits.Product with { RequestsOfOne = 0 });
        await RefusedAsync(StatusCode.ResourceExhausted, "IC-7015", false, client.CompleteAwakeableAsync(OfJson(Yes)));
        await RefusedAsync(StatusCode.NotFound, "IC-7019", false, client.CompleteAwakeableAsync(OfJson(Yes, "AAAA")));
        Assert.Empty(Awakeables.Taken);
    }

    [Fact]
    public async Task A_value_is_not_waited_for_before_its_id_is_known_to_be_genuine()
    {
        await OpenAsync();
        byte[] large = Framed(OfJson(new string(' ', 900_000), "AAAA"));
        using var cut = new PieceByPiece(large[..100]);
        Assert.Equal(("5", "IC-7019"), await StatusOfAsync(cut));
        using var nameless = new PieceByPiece([0, 0, 4, 0, 0, 0x22, 0x80, 0x80, 8, .. new byte[1024]]); // Its JSON stands in front.
        Assert.Equal(("3", "IC-7001"), await StatusOfAsync(nameless));
        foreach (byte[] message in new[] { Compressed(OfJson(Yes)), Compressed(OfJson(Yes + new string(' ', 1 << 20))) })
        {
            using var compressed = new PieceByPiece(message); // Longer than a beginning, and shorter.
            compressed.Release();
            Assert.Equal(("3", "IC-7018"), await StatusOfAsync(compressed));
        }

        Assert.Empty(Awakeables.Taken);
    }

    [Fact]
    public async Task A_message_may_arrive_in_pieces_and_its_fields_in_another_order()
    {
        await OpenAsync();
        byte[] message = Framed(OfJson(Yes));
        using var slow = new PieceByPiece(message[..3], [.. message[3..].Chunk(1)]);
        Task<(string Status, string Code)> asking = StatusOfAsync(slow);
        await slow.Begun.OrFail();
        Assert.Empty(Awakeables.Taken);
        slow.Release();
        Assert.Equal(("0", ""), await asking);
        byte[] id = System.Text.Encoding.ASCII.GetBytes(FakeAwakeables.Id().ToString());
        byte[] turned = [0x22, (byte)Yes.Length, .. System.Text.Encoding.ASCII.GetBytes(Yes), 0x12, (byte)id.Length, .. id];
        using var other = new PieceByPiece([0, 0, 0, 0, (byte)turned.Length, .. turned]);
        other.Release();
        Assert.Equal(("0", ""), await StatusOfAsync(other));
        using var two = new PieceByPiece([0, 0, 0, 0, (byte)(turned.Length + 6), .. turned, 0x12, 4, .. "AAAA"u8]); // The last one counts.
        two.Release();
        Assert.Equal(("5", "IC-7019"), await StatusOfAsync(two));
        Assert.Single(Awakeables.Taken);
    }

    [Fact]
    public async Task Who_names_no_id_takes_no_place_of_those_that_were_given_one()
    {
        V1.Ingress.IngressClient client = await OpenAsync(
            IngressLimits.Product with { Requests = 1, RequestsOfOne = 1, Proof = Patience.Time });
        Task<(string Status, string Code)> holding;
        PieceByPiece held;
        do
        {
            holding = StatusOfAsync(held = new PieceByPiece([0]));
            await Within.Until(() => TryCode(client) == "IC-7015" || holding.IsCompleted);
        }
        while (holding.IsCompleted); // The question itself had the place.

        Assert.Equal(HttpStatusCode.OK, (await PostAsync(Yes)).Status);
        held.Release();
        Assert.Equal("5", (await holding).Status);
        await Within.Until(() => TryCode(client).Length == 0);
    }

    [Fact] // A silent body would hold its place, and after five seconds the server ends the connection that it is on.
    public async Task Who_is_slow_to_name_an_id_is_refused_alone_and_gives_back_its_place()
    {
        V1.Ingress.IngressClient client = await OpenAsync(
            IngressLimits.Product with { Requests = 1, RequestsOfOne = 1, Proof = TimeSpan.FromMilliseconds(100) });
        using var silent = new PieceByPiece([0]);
        Task<(string Status, string Code)> asking = StatusOfAsync(silent);
        Assert.Null(await Record.ExceptionAsync(() => asking.WaitAsync(Patience.Time / 4)));
        Assert.Equal(("3", "IC-7001"), await asking);
        Assert.Equal("", TryCode(client));
        silent.Release();
    }

    [Fact] // The server counts the bytes of a connection's bodies together, from the first to the last: a proxy shares one among clients.
    public async Task Those_who_say_nothing_one_after_the_other_end_no_connection()
    {
        await OpenAsync(IngressLimits.Product with { Proof = TimeSpan.FromSeconds(1), BodyGrace = TimeSpan.FromSeconds(1.5) });
        using var proxy = new HttpClient();
        var asking = new List<Task<(string Status, string Code)>>();
        for (int count = 0; count < 6; count++)
        {
            asking.Add(StatusOfAsync(new PieceByPiece([0]), proxy));
            await Task.Delay(600);
        }

        Exception? broken = await Record.ExceptionAsync(() => Task.WhenAll(asking));
        Assert.Null(broken);
        Assert.All(asking, static each => Assert.Equal(("3", "IC-7001"), each.Result));
    }

    private static string TryCode(V1.Ingress.IngressClient client)
    {
        try
        {
            client.CompleteAwakeable(OfJson(Yes));
            return "";
        }
        catch (RpcException error)
        {
            return error.Trailers.GetValue("ambrosia-code") ?? error.Status.Detail;
        }
    }

    private static AwakeableRequest OfJson(string json, string? id = null) =>
        new() { Id = id ?? FakeAwakeables.Id().ToString(), Json = json };

    private static AwakeableRequest Packed(params byte[] value) =>
        new() { Id = FakeAwakeables.Id().ToString(), MessagePack = ByteString.CopyFrom(value) };

    private static AwakeableRequest Rejecting(string reason) =>
        new() { Id = FakeAwakeables.Id().ToString(), Rejection = new Rejection { Reason = reason } };

    private static byte[] Framed(AwakeableRequest request) => Framed(0, request.ToByteArray());

    private static byte[] Compressed(AwakeableRequest request)
    {
        using var bytes = new MemoryStream();
        using (var gzip = new System.IO.Compression.GZipStream(bytes, System.IO.Compression.CompressionLevel.Fastest))
        {
            gzip.Write(request.ToByteArray());
        }

        return Framed(1, bytes.ToArray());
    }

    private static byte[] Framed(byte flag, byte[] message)
    {
        byte[] size = BitConverter.GetBytes(message.Length);
        return [flag, size[3], size[2], size[1], size[0], .. message];
    }

    private static async Task<RpcException> RefusedAsync<T>(StatusCode status, string code, bool isFinal, AsyncUnaryCall<T> call)
    {
        RpcException error = await Assert.ThrowsAsync<RpcException>(() => call.ResponseAsync);
        Assert.Equal((status, code), (error.StatusCode, error.Trailers.GetValue("ambrosia-code")));
        Assert.Equal(isFinal ? "true" : "false", error.Trailers.GetValue("ambrosia-final"));
        return error;
    }

    private Task<IngressUnderTest.Answer> PostAsync(string body) =>
        _ingress!.SendAsync(HttpMethod.Post, $"/v1/awakeables/{FakeAwakeables.Id()}", body, null, null, "application/json");

    private async Task<(string Status, string Code)> StatusOfAsync(PieceByPiece body)
    {
        using var client = new HttpClient();
        return await StatusOfAsync(body, client);
    }

    private async Task<(string Status, string Code)> StatusOfAsync(PieceByPiece body, HttpClient client)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri(_ingress!.Address, "/ambrosia.v1.Ingress/CompleteAwakeable"))
        {
            Version = HttpVersion.Version20, VersionPolicy = HttpVersionPolicy.RequestVersionExact, Content = body,
        };
        using HttpResponseMessage answer = await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead).OrFail();
        string first = Of(answer.Headers, "grpc-status");
        await (first.Length > 0 ? Task.CompletedTask : answer.Content.ReadAsByteArrayAsync());
        return first.Length > 0 ? (first, Of(answer.Headers, "ambrosia-code"))
            : (Of(answer.TrailingHeaders, "grpc-status"), Of(answer.TrailingHeaders, "ambrosia-code"));

        static string Of(HttpHeaders headers, string name) =>
            headers.TryGetValues(name, out IEnumerable<string>? values) ? values.Single() : "";
    }

    private async Task<V1.Ingress.IngressClient> OpenAsync(IngressLimits? limits = null, IngressTokens? tokens = null)
    {
        _ingress = await IngressUnderTest.StartAsync(limits, tokens);
        _ingress.Told.Tell(Shapes);
        var channel = GrpcChannel.ForAddress(_ingress.Address);
        _channels.Add(channel);
        return new V1.Ingress.IngressClient(channel);
    }

    /// <summary>A body of which the rest comes when it is let go.</summary>
    private sealed class PieceByPiece : HttpContent
    {
        private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly byte[] _first;
        private readonly byte[][] _rest;

        public PieceByPiece(byte[] first, params byte[][] rest)
        {
            (_first, _rest) = (first, rest);
            Headers.ContentType = new MediaTypeHeaderValue("application/grpc");
        }

        public Task Begun => _begun.Task;

        public void Release() => _released.TrySetResult();

        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            await stream.WriteAsync(_first);
            await stream.FlushAsync();
            _begun.TrySetResult();
            await _released.Task;
            foreach (byte[] piece in _rest)
            {
                await stream.WriteAsync(piece);
                await stream.FlushAsync();
            }
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }

        protected override void Dispose(bool disposing)
        {
            Release();
            base.Dispose(disposing);
        }
    }
}
