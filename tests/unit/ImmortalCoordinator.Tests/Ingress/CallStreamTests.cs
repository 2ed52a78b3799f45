using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;
using Ambrosia.V1;
using Google.Protobuf;
using Grpc.Core;
using Grpc.Net.Client;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>
/// Many calls on one stream (<c>Calls</c>), by a client that is generated from the published .proto: answers as they come, refusals of one
/// call beside answers of others, places that are given back, and how a stream ends.
/// </summary>
public sealed class CallStreamTests : IAsyncLifetime
{
    private static readonly OutsideReply s_nothing = new(OutsideReplyKind.Answer, (byte)RpcForm.Void);
    private readonly List<GrpcChannel> _channels = [];
    private IngressUnderTest _ingress = null!;

    public async Task InitializeAsync() => _ingress = await IngressUnderTest.StartAsync(IngressLimits.Product with { RequestsOfOne = 8 });

    public async Task DisposeAsync()
    {
        _channels.ForEach(static channel => channel.Dispose());
        await _ingress.DisposeAsync();
    }

    [Fact]
    public async Task Calls_of_one_message_are_answered_as_their_answers_come()
    {
        _ingress.Entrance.Answer = static call => call.Key!.Value.N == 2 ? null : s_nothing;
        await using OpenStream stream = Open();
        await stream.SendAsync(Call(11, 1), Call(12, 2), Call(13, 3));
        Assert.Equal([11ul, 13], Ids(await stream.NextAsync(2)));
        await stream.SendAsync(Call(14, 4));
        Assert.Equal([14ul], Ids(await stream.NextAsync(1)));
        _ingress.Entrance.Complete(s_nothing);
        StreamedReply late = (await stream.NextAsync(1)).Single();
        Assert.Equal((12ul, CallReply.OutcomeOneofCase.Nothing), (late.Id, late.Reply.OutcomeCase));
        await stream.CompleteAsync();
        Assert.Equal([1ul, 2, 3, 4], _ingress.Entrance.Admitted.Select(static call => call.Key!.Value.N));
    }

    [Fact]
    public async Task A_call_that_is_refused_is_told_so_beside_the_others()
    {
        StreamedCall foreign = Call(1, 1), keyless = Call(2, 2), unknown = Call(3, 3);
        foreign.Call.Instance = "other";
        keyless.Call.Key = null;
        unknown.Call.Method = "Steal";
        await using OpenStream stream = Open();
        await stream.SendAsync(foreign, keyless, unknown, Call(4, 4));
        StreamedReply[] replies = await stream.NextAsync(4);
        Assert.Equal(
            [((int?)5, (string?)"IC-7010", (string?)"shop"), (3, "IC-7002", ""), (5, "IC-7010", "")],
            replies.Take(3).Select(static reply => (reply.Refusal?.Status, reply.Refusal?.Code, reply.Refusal?.Instance)));
        Assert.StartsWith("IC-7002 ", replies[1].Refusal.Message, StringComparison.Ordinal);
        Assert.Equal(StreamedReply.OutcomeOneofCase.Reply, replies[3].OutcomeCase);
        Assert.Single(_ingress.Entrance.Admitted);
        await stream.CompleteAsync();
    }

    [Fact]
    public async Task A_call_that_is_meant_for_another_instance_of_the_name_is_not_taken()
    {
        StreamedCall other = Call(1, 1), right = Call(2, 2);
        (other.InstanceId, right.InstanceId) = ("f123456789abcdef0123456789abcdef", _ingress.Entrance.InstanceId!.Value.ToString("N"));
        await using OpenStream stream = Open();
        await stream.SendAsync(other, right);
        StreamedReply[] replies = [.. (await stream.NextAsync(2)).OrderBy(static reply => reply.Id)];
        Assert.Equal([(1ul, "IC-7022"), (2, null)], replies.Select(static reply => (reply.Id, reply.Refusal?.Code)));
        Assert.Single(_ingress.Entrance.Admitted);
    }

    [Fact]
    public async Task A_repeat_gets_the_answer_of_the_first_on_whichever_stream_it_comes()
    {
        _ingress.Entrance.Answer = static _ => null;
        await using OpenStream broken = Open();
        await broken.SendAsync(Call(1, 1));
        await UntilAsync(() => _ingress.Entrance.Admitted.Count == 1);
        broken.Abort();
        await using OpenStream stream = Open();
        await stream.SendAsync(Call(1, 1));
        await UntilAsync(() => _ingress.Entrance.Asked == 2);
        _ingress.Entrance.Complete(s_nothing);
        Assert.Equal([1ul], Ids(await stream.NextAsync(1)));
        Assert.Single(_ingress.Entrance.Admitted);
    }

    [Fact]
    public async Task A_call_that_only_sends_and_one_that_waits_shortly_are_accepted()
    {
        _ingress.Entrance.Answer = static _ => null;
        StreamedCall sends = Call(1, 1), hasty = Call(2, 2);
        (sends.Sends, hasty.Wait) = (true, 1);
        await using OpenStream stream = Open();
        await stream.SendAsync(sends, hasty);
        Assert.All(await stream.NextAsync(2), static reply => Assert.Equal(CallReply.OutcomeOneofCase.Accepted, reply.Reply.OutcomeCase));
    }

    [Fact]
    public async Task Each_call_takes_a_place_until_it_is_answered_forgotten_or_its_stream_breaks()
    {
        _ingress.Entrance.Answer = static call => call.Key!.Value.N < 100 ? null : s_nothing;
        await using OpenStream stream = Open();
        await stream.SendAsync([.. Enumerable.Range(1, 9).Select(static n => Call((ulong)n, (ulong)n))]);
        StreamedReply full = (await stream.NextAsync(1)).Single();
        Assert.Equal((9ul, 8, "IC-7015", false), (full.Id, full.Refusal.Status, full.Refusal.Code, full.Refusal.Final));

        // Nobody waits for the third any more, and there is no other one.
        await stream.SendAsync(new StreamedCall { Id = 3 }, new StreamedCall { Id = 77 });
        await AnsweredAsync(stream, 100);
        stream.Abort();
        await using OpenStream other = Open();
        await AllAnsweredAsync(other, 200);
        Assert.DoesNotContain(_ingress.Entrance.Admitted, static call => call.Key!.Value.N == 9);
    }

    [Fact]
    public async Task More_calls_than_a_queue_of_replies_holds_are_each_told()
    {
        await using OpenStream stream = Open();
        await stream.SendAsync([.. Enumerable.Range(1, 5000).Select(static n => new StreamedCall
            {
                Id = (ulong)n,
                Call = new CallRequest { Instance = "shop", Method = "Steal", Key = new Key { Text = "k", Made = 1_795_439_000_000 } },
            })]);
        Assert.Equal(Enumerable.Range(1, 5000).Select(static n => (ulong)n), Ids(await stream.NextAsync(5000)));
    }

    [Theory]
    [InlineData("0a", "Unknown field or cut")]
    [InlineData("0a0608011202ff", "A call that is none")]
    public async Task Bytes_that_are_no_calls_end_the_stream(string hex, string what)
    {
        using GrpcChannel channel = Channel();
        var method = new Method<byte[], byte[]>(
            MethodType.DuplexStreaming, "ambrosia.v1.Ingress", "Calls", Marshallers.Create(static bytes => bytes, static bytes => bytes),
            Marshallers.Create(static bytes => bytes, static bytes => bytes));
        using AsyncDuplexStreamingCall<byte[], byte[]> call = channel.CreateCallInvoker().AsyncDuplexStreamingCall(method, null, default);
        await call.RequestStream.WriteAsync(Convert.FromHexString(hex));
        RpcException refused = await Assert.ThrowsAsync<RpcException>(() => call.ResponseStream.MoveNext(default));
        Assert.True(refused is { StatusCode: StatusCode.InvalidArgument }, what);
        Assert.Equal("IC-7001", refused.Trailers.GetValue("ambrosia-code"));
    }

    [Fact]
    public async Task Two_calls_of_one_id_end_the_stream_after_what_was_read_is_answered()
    {
        _ingress.Entrance.Answer = static _ => null;
        StreamedCall first = Call(1, 1);
        first.Wait = 3000; // It is under way when the other one is read, however long that takes here.
        await using OpenStream stream = Open();
        await stream.SendAsync(first, Call(1, 2));
        StreamedReply told = (await stream.NextAsync(1)).Single();
        Assert.Equal((1ul, CallReply.OutcomeOneofCase.Accepted), (told.Id, told.Reply.OutcomeCase));
        Assert.Single(_ingress.Entrance.Admitted);
        RpcException refused = await Assert.ThrowsAsync<RpcException>(() => stream.NextAsync(1));
        Assert.Equal(StatusCode.InvalidArgument, refused.StatusCode);
    }

    [Fact]
    public async Task A_stream_ends_when_nothing_happens_and_when_its_time_is_over_and_answers_what_it_has_read()
    {
        await using IngressUnderTest brief = await IngressUnderTest.StartAsync(IngressLimits.Product with
            { Streams = new() { Idle = TimeSpan.FromMilliseconds(150), Time = TimeSpan.FromMilliseconds(600) } });
        brief.Entrance.Answer = static call => call.Key!.Value.N == 2 ? null : s_nothing;
        await using OpenStream idle = Open(brief);
        await idle.SendAsync(Call(1, 1));
        Assert.Equal([1ul], Ids(await idle.NextAsync(1)));
        await idle.EndedAsync();

        await using OpenStream waiting = Open(brief);
        await waiting.SendAsync(Call(2, 2));
        await Task.Delay(TimeSpan.FromSeconds(1));
        brief.Entrance.Complete(s_nothing);
        Assert.Equal([2ul], Ids(await waiting.NextAsync(1)));
        await waiting.EndedAsync();
    }

    // What it was told may be lost with its connection: either way the client comes again.
    [Fact]
    public async Task When_the_address_closes_nobody_waits_on()
    {
        (_ingress.Entrance.IsStuck, _ingress.Entrance.Answer) = (true, static _ => null);
        await using OpenStream stream = Open();
        await stream.SendAsync(Call(1, 1));
        await UntilAsync(() => _ingress.Entrance.Admitted.Count == 1);
        Task<StreamedReply[]> reading = stream.NextAsync(1);
        await _ingress.DisposeAsync().AsTask().WaitAsync(Patience.Time);
        try
        {
            Assert.Equal("IC-7007", (await reading.WaitAsync(Patience.Time)).Single().Refusal.Code);
        }
        catch (RpcException error)
        {
            Assert.Equal(StatusCode.Unavailable, error.StatusCode);
        }
    }

    [Fact]
    public async Task Calls_of_a_client_that_says_no_more_and_goes_give_their_places_back()
    {
        _ingress.Entrance.Answer = static call => call.Key!.Value.N < 100 ? null : s_nothing;
        await using OpenStream stream = Open();
        await stream.SendAsync([.. Enumerable.Range(1, 8).Select(static n => Call((ulong)n, (ulong)n))]);
        await UntilAsync(() => _ingress.Entrance.Admitted.Count == 8);
        await stream.EndAsync();
        await Task.Delay(200); // The server has read the end.
        stream.Abort();
        await using OpenStream other = Open();
        await AllAnsweredAsync(other, 200);
    }

    [Fact]
    public async Task Calls_that_begin_when_their_client_has_just_gone_give_their_places_back()
    {
        _ingress.Entrance.Answer = static call => call.Key!.Value.N < 100 ? null : s_nothing;
        await using OpenStream stream = Open();
        _ingress.Entrance.SaysOf = call =>
        {
            if (call.Key!.Value.N == 1)
            {
                stream.Abort();
                Thread.Sleep(500); // The server knows it.
            }

            return null;
        };
        Exception? gone = await Record.ExceptionAsync(
            () => stream.SendAsync([.. Enumerable.Range(1, 8).Select(static n => Call((ulong)n, (ulong)n))]));
        Assert.True(gone is null or RpcException { StatusCode: StatusCode.Cancelled }, $"{gone}"); // It goes while it still sends.
        await UntilAsync(() => _ingress.Entrance.Asked > 0);
        await Task.Delay(700);
        await using OpenStream other = Open();
        await AllAnsweredAsync(other, 200);
    }

    [Fact]
    public async Task A_client_that_goes_is_no_error()
    {
        var log = new KeptLog();
        await using IngressUnderTest ingress = await IngressUnderTest.StartAsync(log: log);
        for (int i = 0; i < 20; i++)
        {
            await using OpenStream stream = Open(ingress);
            await stream.SendAsync(Call(1, 1));
            await stream.NextAsync(1);
            _channels[^1].Dispose();
        }

        await Task.Delay(300);
        Assert.DoesNotContain(log.Lines.All, static line => line.Contains("IC-1091", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Several_calls_may_be_larger_than_one_may_be()
    {
        await using IngressUnderTest ingress = await IngressUnderTest.StartAsync(IngressLimits.Product with { Body = 16 << 10 });
        await using OpenStream stream = Open(ingress);
        await stream.SendAsync([.. Enumerable.Range(1, 400).Select(static n => Call((ulong)n, (ulong)n))]); // More than 16 KiB.
        Assert.All(await stream.NextAsync(400), static reply => Assert.Null(reply.Refusal));
    }

    [Fact]
    public async Task A_call_is_as_large_as_all_that_it_says()
    {
        await using IngressUnderTest ingress =
            await IngressUnderTest.StartAsync(IngressLimits.Product with { Body = 16 << 10, MostBodies = 64 << 10 });
        ingress.Entrance.Answer = static _ => null;
        await using OpenStream stream = Open(ingress);
        StreamedCall[] large = [Call(1, 1), Call(2, 2), Call(3, 3), Call(9, 9)];
        Array.ForEach(large, static call => (call.Call.Method, call.Call.MethodId) = (new string('x', 15_000), 1));
        large[3].Call.Method += new string('x', 5000);
        await stream.SendAsync(large);
        StreamedReply[] refused = await stream.NextAsync(2);
        Assert.Equal([(3ul, "IC-7015"), (9ul, "IC-7014")], refused.Select(static reply => (reply.Id, reply.Refusal?.Code)));
    }

    // Without end, and so without a message.
    [Fact]
    public async Task What_has_arrived_of_a_message_is_counted_before_it_is_whole()
    {
        await using IngressUnderTest ingress = await IngressUnderTest.StartAsync(
            IngressLimits.Product with { Body = 1 << 20, MostBodies = 2 << 20 });
        using var client = new HttpClient();
        Task<HttpResponseMessage> first = SendPartAsync(client, ingress), second = SendPartAsync(client, ingress);
        Task<HttpResponseMessage> late = Task.Delay(TimeSpan.FromSeconds(15)).ContinueWith(
            static _ => new HttpResponseMessage(), TaskScheduler.Default); // An idle stream ends after 20.
        using HttpResponseMessage refused = await await Task.WhenAny(first, second, late); // Whichever comes later.
        Assert.True(refused.Headers.TryGetValues("ambrosia-code", out IEnumerable<string>? code));
        Assert.Equal("IC-7015", code.Single());
    }

    private static Task<HttpResponseMessage> SendPartAsync(HttpClient client, IngressUnderTest ingress) => client.SendAsync(
        new HttpRequestMessage(HttpMethod.Post, new Uri(ingress.Address, "/ambrosia.v1.Ingress/Calls"))
        {
            Version = System.Net.HttpVersion.Version20, VersionPolicy = HttpVersionPolicy.RequestVersionExact, Content = new Part(),
        },
        HttpCompletionOption.ResponseHeadersRead);

    private static Task AnsweredAsync(OpenStream stream, ulong number) => AllAnsweredAsync(stream, number, 1);

    // What is given back is there soon, and not at once.
    private static async Task AllAnsweredAsync(OpenStream stream, ulong number, ulong count = 8)
    {
        for (ulong i = 0; ; i++)
        {
            ulong first = 1000 + (i * count);
            await stream.SendAsync([.. Enumerable.Range(0, (int)count).Select(n => Call(first + (ulong)n, number + (ulong)n))]);
            StreamedReply[] replies = await stream.NextAsync((int)count);
            if (replies.All(static reply => reply.Refusal is null))
            {
                return;
            }

            Assert.True(i < 500, string.Join<StreamedReply>("; ", replies));
            await Task.Delay(10);
        }
    }

    private OpenStream Open(IngressUnderTest? ingress = null) =>
        new(new V1.Ingress.IngressClient(Channel(ingress)).Calls(deadline: DateTime.UtcNow + Patience.Time));

    private GrpcChannel Channel(IngressUnderTest? ingress = null)
    {
        _channels.Add(GrpcChannel.ForAddress($"http://127.0.0.1:{(ingress ?? _ingress).Port}"));
        return _channels[^1];
    }

    private static StreamedCall Call(ulong id, ulong number) => new()
    {
        Id = id,
        Call = new CallRequest
        {
            Instance = "shop", Method = "Order", MessagePack = ByteString.CopyFrom(0x92, 0xa1, 0x61, 1),
            Key = new Key { Text = "order-42", Made = 1_795_439_000_000, Number = number },
        },
    };

    private static IEnumerable<ulong> Ids(StreamedReply[] replies) => replies.Select(static reply => reply.Id).Order();

    private static async Task UntilAsync(Func<bool> condition)
    {
        for (int i = 0; !condition(); i++)
        {
            Assert.True(i < 2000);
            await Task.Delay(5);
        }
    }

    private sealed class Part : HttpContent
    {
        public Part() => Headers.ContentType = new("application/grpc");

        protected override async Task SerializeToStreamAsync(System.IO.Stream stream, System.Net.TransportContext? context)
        {
            await stream.WriteAsync(new byte[] { 0, 0, 15, 0x42, 0x40 }); // A million bytes,
            await stream.WriteAsync(new byte[900_000]); // of which so many come.
            await stream.FlushAsync();
            await Task.Delay(Timeout.Infinite);
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}
