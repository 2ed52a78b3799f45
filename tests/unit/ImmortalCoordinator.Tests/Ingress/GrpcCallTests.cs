using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Primitives.Errors;
using Ambrosia.Protocol;
using Ambrosia.V1;
using Google.Protobuf;
using Grpc.Core;
using Grpc.Net.Client;
using static Ambrosia.ImmortalCoordinator.Tests.Ingress.IngressUnderTest;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>
/// The service <c>ambrosia.v1.Ingress</c>, asked by a client that is generated from the published .proto: so the bytes that are written by
/// hand are what others read.
/// </summary>
public sealed class GrpcCallTests : IAsyncLifetime
{
    private const ulong Made = 1_795_439_000_000;
    private IngressUnderTest _ingress = null!;
    private GrpcChannel _channel = null!;
    private V1.Ingress.IngressClient _client = null!;

    public async Task InitializeAsync()
    {
        _ingress = await StartAsync();
        _channel = GrpcChannel.ForAddress($"http://127.0.0.1:{_ingress.Port}");
        _client = new V1.Ingress.IngressClient(_channel);
    }

    public async Task DisposeAsync()
    {
        _channel.Dispose();
        await _ingress.DisposeAsync();
    }

    [Fact]
    public async Task A_call_with_JSON_is_the_call_that_HTTP_makes()
    {
        _ingress.Entrance.Answer = static _ => Value("a5" + "31322e3530"); // The text 12.50.
        CallReply reply = await _client.CallAsync(Order());
        Answer overHttp = await _ingress.CallAsync("Order", """{"item":"tea","count":2}""", IngressUnderTest.Key);
        Assert.Equal(("\"12.50\"", "\"12.50\"\n"), (reply.Json, overHttp.Text));
        OutsideSubmission call = Assert.Single(_ingress.Entrance.Admitted);
        Assert.Equal((1, "92a374656102"), (call.Method, Hex(call.Arguments.Span)));
        Assert.Equal(new OutsideKey("local", KeyHash.Of("order-42"), Made), call.Key);
    }

    [Fact]
    public async Task Arguments_in_MessagePack_go_to_the_app_as_they_are_and_so_does_its_answer()
    {
        _ingress.Entrance.Answer = static _ => Value("05");
        CallRequest call = Packed("Add", "9105");
        call.MethodId = 2;
        Assert.Equal("05", Hex((await _client.CallAsync(call)).MessagePack.Span));
        Assert.Equal("9105", Hex(_ingress.Entrance.Admitted.Single().Arguments.Span));
        call.MethodId = 3; // Its number says that it is another call.
        await RefusedAsync(StatusCode.AlreadyExists, "IC-7003", true, _client.CallAsync(call));
    }

    [Fact]
    public async Task The_same_bytes_of_another_kind_are_another_call()
    {
        var close = new CallRequest
            { Instance = "shop", Method = "Order", Key = Order().Key, MessagePack = ByteString.CopyFrom(0x92, 0xa0, 1) };
        await _client.CallAsync(close);
        close.Json = "{}"; // Not understood, and the key is known.
        await RefusedAsync(StatusCode.AlreadyExists, "IC-7003", true, _client.CallAsync(close));
        Assert.NotEqual(CallBody.HashOf(1, Protocol.Ingress.IngressForm.Json, "{}"u8),
            CallBody.HashOf(1, Protocol.Ingress.IngressForm.MessagePack, "{}"u8));
    }

    [Fact]
    public async Task What_is_no_array_of_the_right_size_is_refused_and_not_called()
    {
        foreach (string bytes in new[] { "91a0", "93a00101", "92a3746561", "a0", "92a001c0", "92a0c1",
            string.Concat(Enumerable.Repeat("91", 70)) + "00" })
        {
            await RefusedAsync(StatusCode.InvalidArgument, "IC-7001", false, _client.CallAsync(Packed("Order", bytes)));
        }

        // Two methods of the name take one argument.
        await RefusedAsync(StatusCode.InvalidArgument, "IC-7001", false, _client.CallAsync(Packed("Add", "9105")));
        Assert.Empty(_ingress.Entrance.Admitted);
    }

    [Fact]
    public async Task An_exception_of_the_handler_is_an_answer_and_no_status()
    {
        _ingress.Entrance.Answer = static _ => new OutsideReply(
            OutsideReplyKind.Answer, (byte)RpcForm.Exception,
            Convert.FromHexString("94a3412e42a36e6f21a0c0")); // A.B, "no!", no stack, no inner one.
        CallReply reply = await _client.CallAsync(Packed("Order", "92a001"));
        Assert.Equal(("A.B", "no!", ""), (reply.Exception.Type, reply.Exception.Message, reply.Exception.Data));
        Assert.Equal("94a3412e42a36e6f21a0c0", Hex(reply.Exception.MessagePack.Span));
        CallReply asJson = await _client.CallAsync(Order("other"));
        Assert.Equal(("A.B", ""), (asJson.Exception.Type, asJson.Exception.MessagePack.ToStringUtf8()));
    }

    [Fact]
    public async Task A_call_that_takes_too_long_is_accepted_before_its_deadline_and_asked_for_by_its_key()
    {
        var time = new HeldTime();
        await using IngressUnderTest ingress = await StartAsync(time: time);
        ingress.Entrance.Answer = static _ => null;
        using var channel = GrpcChannel.ForAddress($"http://127.0.0.1:{ingress.Port}");
        var client = new V1.Ingress.IngressClient(channel);
        AsyncUnaryCall<CallReply> calling = client.CallAsync(Order(), deadline: DateTime.UtcNow.AddSeconds(100));
        await Within.Until(() => ingress.Entrance.Admitted.Count == 1);
        Assert.InRange(time.EndLongest().TotalSeconds, 60, 99); // A second before the deadline of the client, less what has passed.
        Assert.Equal(CallReply.OutcomeOneofCase.Accepted, (await calling).OutcomeCase);
        var look = new GetCallRequest { Instance = "shop", Key = Order().Key, Method = "Order", Json = true };
        AsyncUnaryCall<CallReply> asking = client.GetCallAsync(look);
        ingress.Entrance.Complete(Value("a131"));
        Assert.Equal("\"1\"", (await asking).Json);
        look.Json = false;
        Assert.Equal("a131", Hex((await client.GetCallAsync(look)).MessagePack.Span));
        look.Key.Text = "never";
        await RefusedAsync(StatusCode.NotFound, "IC-7017", false, client.GetCallAsync(look));
    }

    [Fact]
    public async Task Send_returns_once_the_call_is_in_the_log()
    {
        _ingress.Entrance.Answer = static _ => null;
        Assert.Equal(CallReply.OutcomeOneofCase.Accepted, (await _client.SendAsync(Order())).OutcomeCase);
        _ingress.Entrance.Complete(new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Void));
        Assert.Equal(CallReply.OutcomeOneofCase.Nothing, (await _client.SendAsync(Order())).OutcomeCase);
        Assert.Single(_ingress.Entrance.Admitted);
    }

    [Fact]
    public async Task Numbered_keys_are_calls_of_one_line()
    {
        CallRequest call = Order("01932c07-209f-7b5c-8a3e-0123456789ab");
        (call.Key.Made, call.Key.Number, call.Key.Low) = (0, 17, 15);
        await _client.CallAsync(call);
        var expected = new OutsideKey("local", KeyHash.Of(call.Key.Text), 0x01932c07209f, 17, 15);
        Assert.Equal(expected, _ingress.Entrance.Admitted.Single().Key);
        call.Key.Low = 17;
        await RefusedAsync(StatusCode.InvalidArgument, "IC-7002", false, _client.CallAsync(call));
    }

    [Theory]
    [InlineData("", 0ul)]
    [InlineData("order-42", 0ul)] // It says no time.
    [InlineData("a\nb", Made)]
    [InlineData("ä", Made)]
    [InlineData("a", ulong.MaxValue)]
    public async Task A_key_that_HTTP_would_refuse_is_refused(string text, ulong made)
    {
        CallRequest call = Order(text);
        call.Key.Made = made;
        await RefusedAsync(StatusCode.InvalidArgument, "IC-7002", false, _client.CallAsync(call));
    }

    [Fact] // Once keys are forgotten, all of them would be too old at once. X24: one that is kept was taken before anybody looked.
    public async Task A_new_call_whose_key_is_of_1970_is_refused_and_one_that_is_kept_is_not()
    {
        CallRequest call = Order();
        call.Key.Made = 1_795_439_000;
        RpcException refused = await Assert.ThrowsAsync<RpcException>(() => _client.CallAsync(call).ResponseAsync);
        Assert.Equal((StatusCode.InvalidArgument, "IC-7002"), (refused.StatusCode, refused.Trailers.GetValue("ambrosia-code")));
        Assert.Empty(_ingress.Entrance.Admitted);
        _ingress.Entrance.Says = OutsideReplyKind.Accepted;
        await RefusedAsync(StatusCode.AlreadyExists, "IC-7003", true, _client.CallAsync(call));
    }

    [Theory]
    [InlineData((int)OutsideReplyKind.OtherBody, StatusCode.AlreadyExists, "IC-7003", true)]
    [InlineData((int)OutsideReplyKind.Forgotten, StatusCode.FailedPrecondition, "IC-7004", true)]
    [InlineData((int)OutsideReplyKind.Acknowledged, StatusCode.FailedPrecondition, "IC-7005", true)]
    [InlineData((int)OutsideReplyKind.Future, StatusCode.InvalidArgument, "IC-7008", false)]
    [InlineData((int)OutsideReplyKind.Full, StatusCode.ResourceExhausted, "IC-7006", false)]
    [InlineData((int)OutsideReplyKind.Unavailable, StatusCode.Unavailable, "IC-7007", false)]
    [InlineData((int)OutsideReplyKind.Lost, StatusCode.Unknown, "IC-7012", true)]
    public async Task What_the_core_refuses_is_a_status_with_the_code_that_HTTP_tells(int kind, StatusCode status, string code,
        bool isFinal)
    {
        _ingress.Entrance.Says = (OutsideReplyKind)kind;
        await RefusedAsync(status, code, isFinal, _client.CallAsync(Order()));
        Assert.Equal(code, (await _ingress.CallAsync("Order", """{"item":"tea"}""", IngressUnderTest.Key)).Code);
    }

    [Fact]
    public async Task What_is_not_there_is_refused()
    {
        CallRequest call = Order();
        call.Instance = "bank";
        await RefusedAsync(StatusCode.NotFound, "IC-7010", false, _client.CallAsync(call));
        await RefusedAsync(StatusCode.NotFound, "IC-7010", false,
            _client.CallAsync(new CallRequest { Instance = "shop", Method = "Sell", Json = "{}" }));
        // Not offered.
        await RefusedAsync(StatusCode.NotFound, "IC-7010", false,
            _client.CallAsync(new CallRequest { Instance = "shop", Method = "Close", Json = "{}" }));
        call = Packed("Close", "90");
        call.MethodId = 4;
        await RefusedAsync(StatusCode.NotFound, "IC-7010", false, _client.CallAsync(call));
        var foreign = new Method<byte[], byte[]>(MethodType.Unary, "ambrosia.v2.Ingress", "Call",
            Marshallers.Create(static b => b, static b => b), Marshallers.Create(static b => b, static b => b));
        RpcException error = await Assert.ThrowsAsync<RpcException>(() =>
            _channel.CreateCallInvoker().AsyncUnaryCall(foreign, null, new CallOptions(), []).ResponseAsync);
        Assert.Equal(StatusCode.Unimplemented, error.StatusCode);
        var broken = new Method<byte[], byte[]>(MethodType.Unary, "ambrosia.v1.Ingress", "Call",
            Marshallers.Create(static b => b, static b => b), Marshallers.Create(static b => b, static b => b));
        error = await Assert.ThrowsAsync<RpcException>(() =>
            _channel.CreateCallInvoker().AsyncUnaryCall(broken, null, new CallOptions(), [0x0a, 0x7f]).ResponseAsync);
        Assert.Equal((StatusCode.InvalidArgument, "IC-7001"), (error.StatusCode, error.Trailers.GetValue("ambrosia-code")));
    }

    [Theory] // Java reads no more than 8 KiB of trailers, names and 32 bytes for each among them.
    [InlineData("\u65e5")]
    [InlineData("a")]
    public async Task A_refusal_is_short_enough_for_all_clients(string text)
    {
        var context = new Microsoft.AspNetCore.Http.DefaultHttpContext();
        string detail = string.Concat(Enumerable.Repeat(text, 5000));
        await GrpcAnswer.RefuseAsync(context, new Problem(400, IngressErrors.NotUnderstood, detail));
        Assert.InRange(context.Response.Headers.Sum(static each => each.Key.Length + each.Value.ToString().Length + 32), 1024, 8192);
    }

    [Fact] // It has no trailers there.
    public async Task Over_HTTP_1_nothing_is_called_that_could_not_be_answered()
    {
        using var http = new HttpClient();
        byte[] message = Order().ToByteArray();
        using var content = new ByteArrayContent([0, 0, 0, 0, (byte)message.Length, .. message]);
        content.Headers.ContentType = new System.Net.Http.Headers.MediaTypeHeaderValue("application/grpc");
        using HttpResponseMessage answer = await http.PostAsync(new Uri(_ingress.Address, "/ambrosia.v1.Ingress/Call"), content);
        Assert.Equal(System.Net.HttpStatusCode.NotFound, answer.StatusCode);
        Assert.Empty(_ingress.Entrance.Admitted);
    }

    [Fact]
    public async Task A_message_that_is_too_large_is_told_so()
    {
        await using IngressUnderTest small = await StartAsync(IngressLimits.Product with { Body = 200 });
        using GrpcChannel channel = GrpcChannel.ForAddress($"http://127.0.0.1:{small.Port}");
        var client = new V1.Ingress.IngressClient(channel);
        CallRequest call = Order();
        call.Json = $$"""{"item":"{{new string('x', 300)}}"}""";
        await RefusedAsync(StatusCode.InvalidArgument, "IC-7014", false, client.CallAsync(call));
        await client.CallAsync(Order());
    }

    [Fact]
    public async Task A_refusal_carries_what_libraries_of_Google_read()
    {
        _ingress.Entrance.Says = OutsideReplyKind.Forgotten;
        RpcException error = await Assert.ThrowsAsync<RpcException>(() => _client.CallAsync(Order()).ResponseAsync);
        byte[] details = error.Trailers.GetValueBytes("grpc-status-details-bin")!;
        Assert.Contains("type.googleapis.com/google.rpc.ErrorInfo", System.Text.Encoding.UTF8.GetString(details), StringComparison.Ordinal);
        var status = new CodedInputStream(details);
        Assert.Equal(8u, status.ReadTag());
        Assert.Equal((int)StatusCode.FailedPrecondition, status.ReadInt32());
        Assert.Contains("IC-7004", System.Text.Encoding.UTF8.GetString(details), StringComparison.Ordinal);
        Assert.Contains("too old to be known", error.Status.Detail, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Many_calls_at_once_on_one_address_that_also_speaks_HTTP_1()
    {
        _ingress.Entrance.Answer = static call =>
            Value(call.Arguments.Span[^1].ToString("x2", System.Globalization.CultureInfo.InvariantCulture));
        CallReply[] replies = await Task.WhenAll(Enumerable.Range(0, 100).Select(async i =>
        {
            CallRequest call = Order($"k{i}");
            call.Json = $$"""{"item":"tea","count":{{i}}}""";
            return await _client.CallAsync(call);
        }));
        Assert.Equal(Enumerable.Range(0, 100).Select(static i => $"{i}"), replies.Select(static each => each.Json));
        Assert.Equal(100, _ingress.Entrance.Admitted.Count);
        Assert.Equal(System.Net.HttpStatusCode.OK, (await _ingress.GetAsync("/openapi.json")).Status);
    }

    [Theory]
    [InlineData("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0", "\0\0")] // The server's SETTINGS: a frame.
    [InlineData("PRI * HTTP/1.1\r\n", "HTTP/1.1 4")] // Refused at its first line, and closed: what follows would break the pipe.
    [InlineData("GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", "HTTP/1.1 200")]
    public async Task The_first_bytes_choose_the_protocol_however_they_arrive(string sent, string answer)
    {
        using var socket = new System.Net.Sockets.TcpClient { NoDelay = true };
        await socket.ConnectAsync("127.0.0.1", _ingress.Port);
        System.Net.Sockets.NetworkStream stream = socket.GetStream();
        foreach (byte each in System.Text.Encoding.Latin1.GetBytes(sent))
        {
            await stream.WriteAsync(new[] { each });
            await stream.FlushAsync();
        }

        byte[] first = new byte[answer.Length];
        await stream.ReadExactlyAsync(first);
        Assert.Equal(answer, System.Text.Encoding.Latin1.GetString(first));
    }

    [Fact]
    public async Task A_connection_that_says_nothing_ends()
    {
        await using IngressUnderTest hasty = await StartAsync(IngressLimits.Product with { Head = TimeSpan.FromMilliseconds(50) });
        foreach (string sent in new[] { "", "PRI * HT" })
        {
            using var socket = new System.Net.Sockets.TcpClient();
            await socket.ConnectAsync("127.0.0.1", hasty.Port);
            await socket.GetStream().WriteAsync(System.Text.Encoding.ASCII.GetBytes(sent));
            try
            {
                Assert.Equal(0, await socket.GetStream().ReadAsync(new byte[1]).AsTask().WaitAsync(Patience.Time));
            }
            catch (IOException)
            {
                // A reset ends it, too.
            }
        }
    }

    [Fact]
    public async Task Tokens_and_their_methods_count_here_too()
    {
        string file = Path.Combine(Path.GetTempPath(), $"callers-{Guid.NewGuid():N}");
        string hash = Convert.ToHexString(System.Security.Cryptography.SHA256.HashData("one"u8));
        await File.WriteAllTextAsync(file, $"alice {hash} Order\n");
        try
        {
            var tokens = IngressTokens.Load(file, TimeProvider.System, Microsoft.Extensions.Logging.Abstractions.NullLogger.Instance);
            await using IngressUnderTest guarded = await StartAsync(tokens: tokens);
            using GrpcChannel channel = GrpcChannel.ForAddress($"http://127.0.0.1:{guarded.Port}");
            var client = new V1.Ingress.IngressClient(channel);
            await RefusedAsync(StatusCode.Unauthenticated, "IC-7013", false, client.CallAsync(Order()));
            await RefusedAsync(StatusCode.Unauthenticated, "IC-7013", false,
                client.CallAsync(Order(), new Metadata { { "authorization", "Bearer two" } }));
            var shown = new Metadata { { "authorization", "Bearer one" } };
            await client.CallAsync(Order(), shown);
            Assert.Equal("alice", guarded.Entrance.Admitted.Single().Key!.Value.Caller);
            CallRequest add = Order("other");
            (add.Method, add.Json) = ("Add", """{"number":1}""");
            await RefusedAsync(StatusCode.NotFound, "IC-7010", false, client.CallAsync(add, shown));
        }
        finally
        {
            File.Delete(file);
        }
    }

    [Fact]
    public async Task Open_requests_have_one_limit_for_both()
    {
        await using IngressUnderTest narrow = await StartAsync(IngressLimits.Product with { RequestsOfOne = 1 });
        narrow.Entrance.Answer = static _ => null;
        using GrpcChannel channel = GrpcChannel.ForAddress($"http://127.0.0.1:{narrow.Port}");
        var client = new V1.Ingress.IngressClient(channel);
        AsyncUnaryCall<CallReply> open = client.CallAsync(Order());
        while (narrow.Entrance.Admitted.Count == 0)
        {
            await Task.Delay(5);
        }

        await RefusedAsync(StatusCode.ResourceExhausted, "IC-7015", false, client.CallAsync(Order("other")));
        Assert.Equal("IC-7015", (await narrow.CallAsync("Order", "{}")).Code);
        narrow.Entrance.Complete(Value("a131"));
        Assert.Equal("\"1\"", (await open).Json);
    }

    private static CallRequest Order(string key = "order-42") => new()
    {
        Instance = "shop", Method = "Order", Json = """{"item":"tea","count":2}""", Key = new Key { Text = key, Made = Made },
    };

    private static CallRequest Packed(string method, string hex) => new()
    {
        Instance = "shop", Method = method, MessagePack = ByteString.CopyFrom(Convert.FromHexString(hex)),
        Key = new Key { Text = "order-42", Made = Made },
    };

    private static string Hex(ReadOnlySpan<byte> bytes) => Convert.ToHexString(bytes).ToLowerInvariant();

    private static OutsideReply Value(string hex) => new(OutsideReplyKind.Answer, (byte)RpcForm.Value, Convert.FromHexString(hex));

    private static async Task RefusedAsync(StatusCode status, string code, bool isFinal, AsyncUnaryCall<CallReply> call)
    {
        RpcException error = await Assert.ThrowsAsync<RpcException>(() => call.ResponseAsync);
        Assert.Equal(
            (status, code, isFinal ? "true" : "false"),
            (error.StatusCode, error.Trailers.GetValue("ambrosia-code"), error.Trailers.GetValue("ambrosia-final")));
    }

    /// <summary>A clock whose timers end when the test says so.</summary>
    private sealed class HeldTime : TimeProvider
    {
        private readonly object _gate = new();
        private readonly List<(TimeSpan Due, TimerCallback End, object? State)> _timers = [];

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            lock (_gate)
            {
                _timers.Add((dueTime, callback, state));
            }

            return new NoTimer();
        }

        /// <summary>Ends the timer that would take the longest, and says how long.</summary>
        public TimeSpan EndLongest()
        {
            (TimeSpan Due, TimerCallback End, object? State) longest;
            lock (_gate)
            {
                longest = _timers.MaxBy(static timer => timer.Due);
            }

            longest.End(longest.State);
            return longest.Due;
        }

        private sealed class NoTimer : ITimer
        {
            public bool Change(TimeSpan dueTime, TimeSpan period) => true;

            public void Dispose()
            {
            }

            public ValueTask DisposeAsync() => default;
        }
    }
}
