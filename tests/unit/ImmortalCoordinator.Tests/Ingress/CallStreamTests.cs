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
        await using Stream stream = Open();
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
        await using Stream stream = Open();
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
    public async Task A_repeat_gets_the_answer_of_the_first_on_whichever_stream_it_comes()
    {
        _ingress.Entrance.Answer = static _ => null;
        await using Stream broken = Open();
        await broken.SendAsync(Call(1, 1));
        await UntilAsync(() => _ingress.Entrance.Admitted.Count == 1);
        broken.Abort();
        await using Stream stream = Open();
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
        await using Stream stream = Open();
        await stream.SendAsync(sends, hasty);
        Assert.All(await stream.NextAsync(2), static reply => Assert.Equal(CallReply.OutcomeOneofCase.Accepted, reply.Reply.OutcomeCase));
    }

    [Fact]
    public async Task Each_call_takes_a_place_until_it_is_answered_forgotten_or_its_stream_breaks()
    {
        _ingress.Entrance.Answer = static call => call.Key!.Value.N < 100 ? null : s_nothing;
        await using Stream stream = Open();
        await stream.SendAsync([.. Enumerable.Range(1, 9).Select(static n => Call((ulong)n, (ulong)n))]);
        StreamedReply full = (await stream.NextAsync(1)).Single();
        Assert.Equal((9ul, 8, "IC-7015", false), (full.Id, full.Refusal.Status, full.Refusal.Code, full.Refusal.Final));

        // Nobody waits for the third any more, and there is no other one.
        await stream.SendAsync(new StreamedCall { Id = 3 }, new StreamedCall { Id = 77 });
        await AnsweredAsync(stream, 100);
        stream.Abort();
        await using Stream other = Open();
        await AnsweredAsync(other, 101);
        await other.SendAsync([.. Enumerable.Range(200, 8).Select(static n => Call((ulong)n, (ulong)n))]); // All eight are free.
        Assert.All(await other.NextAsync(8), static reply => Assert.Equal(CallReply.OutcomeOneofCase.Nothing, reply.Reply.OutcomeCase));
        Assert.DoesNotContain(_ingress.Entrance.Admitted, static call => call.Key!.Value.N == 9);
    }

    [Fact]
    public async Task More_calls_than_a_queue_of_replies_holds_are_each_told()
    {
        await using Stream stream = Open();
        await stream.SendAsync([.. Enumerable.Range(1, 5000).Select(static n => new StreamedCall
            { Id = (ulong)n, Call = new CallRequest { Instance = "shop", Method = "Steal", Key = new Key { Text = "k", Made = 1 } } })]);
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
        await using Stream stream = Open();
        await stream.SendAsync(Call(1, 1), Call(1, 2));
        await UntilAsync(() => _ingress.Entrance.Admitted.Count == 1);
        _ingress.Entrance.Complete(s_nothing);
        Assert.Equal([1ul], Ids(await stream.NextAsync(1)));
        RpcException refused = await Assert.ThrowsAsync<RpcException>(() => stream.NextAsync(1));
        Assert.Equal(StatusCode.InvalidArgument, refused.StatusCode);
    }

    [Fact]
    public async Task A_stream_ends_when_nothing_happens_and_when_its_time_is_over_and_answers_what_it_has_read()
    {
        await using IngressUnderTest brief = await IngressUnderTest.StartAsync(IngressLimits.Product with
            { Streams = new() { Idle = TimeSpan.FromMilliseconds(150), Time = TimeSpan.FromMilliseconds(600) } });
        brief.Entrance.Answer = static call => call.Key!.Value.N == 2 ? null : s_nothing;
        await using Stream idle = Open(brief);
        await idle.SendAsync(Call(1, 1));
        Assert.Equal([1ul], Ids(await idle.NextAsync(1)));
        await idle.EndedAsync();

        await using Stream waiting = Open(brief);
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
        await using Stream stream = Open();
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

    private async Task AnsweredAsync(Stream stream, ulong number)
    {
        for (int i = 0; ; i++) // What is forgotten gives its place back soon, and not at once.
        {
            await stream.SendAsync(Call(number + (1000 * (ulong)i), number));
            StreamedReply reply = (await stream.NextAsync(1)).Single();
            if (reply.Refusal is null)
            {
                return;
            }

            Assert.True(i < 500, reply.ToString());
            await Task.Delay(10);
        }
    }

    private Stream Open(IngressUnderTest? ingress = null) =>
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

    private sealed class Stream(AsyncDuplexStreamingCall<CallBatch, ReplyBatch> call) : IAsyncDisposable
    {
        private readonly Queue<StreamedReply> _arrived = [];

        public Task SendAsync(params StreamedCall[] calls) => call.RequestStream.WriteAsync(new CallBatch { Calls = { calls } });

        public async Task<StreamedReply[]> NextAsync(int count)
        {
            while (_arrived.Count < count)
            {
                Assert.True(await call.ResponseStream.MoveNext(default), "the stream has ended");
                call.ResponseStream.Current.Replies.ToList().ForEach(_arrived.Enqueue);
            }

            return [.. Enumerable.Range(0, count).Select(_ => _arrived.Dequeue())];
        }

        public async Task EndedAsync() => Assert.False(await call.ResponseStream.MoveNext(default));

        public async Task CompleteAsync()
        {
            await call.RequestStream.CompleteAsync();
            await EndedAsync();
        }

        public void Abort() => call.Dispose();

        public ValueTask DisposeAsync()
        {
            call.Dispose();
            return default;
        }
    }
}
