using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Gateway;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Primitives.Errors;
using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;
using Ambrosia.V1;
using Google.Protobuf;
using Grpc.Core;
using Grpc.Net.Client;
using Microsoft.AspNetCore.Http;
using static Ambrosia.ImmortalCoordinator.Tests.Gateway.GatewayUnderTest;

namespace Ambrosia.ImmortalCoordinator.Tests.Gateway;

/// <summary>Streams of calls through a gateway: each call is brought to its instance as one that has come alone.</summary>
public sealed class GatewayStreamTests : IDisposable
{
    private const string OtherId = "f123456789abcdef0123456789abcdef";
    private static readonly OutsideReply s_nothing = new(OutsideReplyKind.Answer, (byte)RpcForm.Void);
    private readonly List<GrpcChannel> _channels = [];

    public void Dispose() => _channels.ForEach(static channel => channel.Dispose());

    [Fact]
    public async Task Calls_of_one_stream_reach_the_instances_that_they_name_as_they_were_written()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        await using IngressUnderTest bank = await gateway.AddAsync("bank", OtherId);
        shop.Entrance.Answer = static call =>
            new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Value, new byte[] { (byte)call.Key!.Value.N });
        await using OpenStream stream = Open(gateway);
        StreamedCall low = Call(11, 7);
        low.Call.Key.Low = 6;
        await stream.SendAsync(low, Call(12, 8), Call(13, 9, "bank"));
        StreamedReply[] replies = [.. (await stream.NextAsync(3)).OrderBy(static reply => reply.Id)];
        Assert.Equal([(11ul, "07"), (12, "08"), (13, "")], replies.Select(static reply =>
            (reply.Id, Convert.ToHexString(reply.Reply.MessagePack.Span))));
        Assert.Equal(CallReply.OutcomeOneofCase.Nothing, replies[2].Reply.OutcomeCase);
        Assert.Equal(
            [new OutsideKey("alice", KeyHash.Of("order-42"), 1_795_439_000_000, 7, 6),
                new OutsideKey("alice", KeyHash.Of("order-42"), 1_795_439_000_000, 8)],
            shop.Entrance.Admitted.Select(static call => call.Key!.Value).OrderBy(static key => key.N));
        Assert.Single(bank.Entrance.Admitted);
        await stream.CompleteAsync();
    }

    [Fact] // That fields which this gateway does not know are kept is what lets it stand before newer instances.
    public async Task Calls_go_on_one_stream_to_an_instance_with_all_that_they_say()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using StreamingInstance shop = await StreamingInstance.StartAsync(AnswerAllAsync);
        await gateway.PutAsync("shop", Id, shop.Address);
        await using OpenStream stream = Open(gateway, headers: ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
        byte[] unknown = [0x9a, 0x06, 1, 0x41]; // Field 99.
        for (ulong i = 0; i < 20; i++)
        {
            StreamedCall call = Call(i, i + 1);
            call.Call.MergeFrom(unknown);
            await stream.SendAsync(call);
            await stream.NextAsync(1);
            Assert.Equal(call.Call.ToByteArray(), shop.Calls[^1].Written.ToArray());
            Assert.Equal(unknown, shop.Calls[^1].Written[^unknown.Length..].ToArray());
        }

        Assert.Equal(["Calls"], shop.Requests);
        Assert.Equal(20, shop.Calls.Length);
        Assert.Equal("alice", shop.Headers["Ambrosia-Caller"]);
        Assert.Equal(Id, shop.Headers["Ambrosia-Instance-Id"]);
        Assert.StartsWith("00-0af76519", shop.Headers["traceparent"].ToString(), StringComparison.Ordinal);
        Assert.InRange(shop.Calls[0].Wait, 1u, 10_000u); // In slices, as a call that has come alone.
        await stream.CompleteAsync();
    }

    [Fact]
    public async Task What_is_refused_says_so_beside_the_others()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        StreamedCall keyless = Call(2, 2), stolen = Call(3, 3), numbered = Call(5, 5);
        keyless.Call.Key = null;
        stolen.Call.Method = "Steal";
        numbered.Call.MethodId = 2; // Add, which bob may not call.
        await using OpenStream stream = Open(gateway, "two");
        await stream.SendAsync(Call(1, 1, "nowhere"), keyless, stolen, Call(4, 4), numbered);
        StreamedReply[] replies = [.. (await stream.NextAsync(5)).OrderBy(static reply => reply.Id)];
        Assert.Equal(
            [(5, "IC-7023"), (3, "IC-7002"), (5, "IC-7010"), (0, ""), (5, "IC-7010")],
            replies.Select(static reply => (reply.Refusal?.Status ?? 0, reply.Refusal?.Code ?? "")));
        Assert.Single(shop.Entrance.Admitted);
        RpcException unknown = await Assert.ThrowsAsync<RpcException>(() => Open(gateway, token: "four").NextAsync(1));
        Assert.Equal((StatusCode.Unauthenticated, "IC-7013"), (unknown.StatusCode, unknown.Trailers.GetValue("ambrosia-code")));
    }

    [Fact]
    public async Task A_stream_follows_its_instance_and_each_call_runs_once()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        await using StreamingInstance dies = await StreamingInstance.StartAsync(async (context, calls) =>
        {
            if (calls.Any(static call => call.Call!.Key!.Value.Number == 3))
            {
                await gateway.PutAsync("shop", Id, shop.Address); // Its successor says where it is.
                context.Abort();
                return false;
            }

            await StreamingInstance.AnswerAsync(context, [.. calls.Select(static call => call.Id).Where(static id => id == 1)]);
            return true;
        });
        await gateway.PutAsync("shop", Id, dies.Address);
        await using OpenStream stream = Open(gateway);
        await stream.SendAsync(Call(1, 1), Call(2, 2));
        Assert.Equal([1ul], Ids(await stream.NextAsync(1)));
        await stream.SendAsync(Call(3, 3));
        Assert.Equal([2ul, 3], Ids(await stream.NextAsync(2)));
        await stream.SendAsync(Call(4, 4)); // The client's stream is the same.
        Assert.Equal([4ul], Ids(await stream.NextAsync(1)));
        Assert.Equal(new ulong[] { 2, 3, 4 }, shop.Entrance.Admitted.Select(static call => call.Key!.Value.N).Order());
        await stream.CompleteAsync();
    }

    [Fact]
    public async Task An_instance_that_takes_no_calls_now_is_left_and_its_word_is_passed_to_nobody()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        await using IngressUnderTest former = await gateway.AddAsync();
        former.Entrance.SaysOf = _ =>
        {
            gateway.PutAsync("shop", Id, shop.Address).GetAwaiter().GetResult();
            return OutsideReplyKind.Unavailable;
        };
        await using OpenStream stream = Open(gateway);
        await stream.SendAsync(Call(1, 1), Call(2, 2));
        Assert.All(await stream.NextAsync(2), static reply => Assert.Null(reply.Refusal));
        Assert.Equal(2, shop.Entrance.Admitted.Count);
    }

    [Fact] // X22.
    public async Task A_call_that_one_instance_may_have_got_is_not_sent_to_another_of_its_name()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest other = await gateway.AddAsync("shop", OtherId);
        await using StreamingInstance dies = await StreamingInstance.StartAsync(async (context, _) =>
        {
            await gateway.PutAsync("shop", OtherId, other.Address);
            context.Abort();
            return false;
        });
        await gateway.PutAsync("shop", Id, dies.Address);
        await using OpenStream stream = Open(gateway);
        await stream.SendAsync(Call(1, 1));
        StreamedReply told = (await stream.NextAsync(1)).Single();
        Assert.Equal((9, "IC-7022"), (told.Refusal?.Status, told.Refusal?.Code));
        Assert.Empty(other.Entrance.Admitted);
        await stream.SendAsync(Call(2, 2)); // A call of which that is not true.
        Assert.Null((await stream.NextAsync(1)).Single().Refusal);
    }

    [Fact]
    public async Task A_stream_that_means_another_instance_of_the_name_reaches_none()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        await using OpenStream stream = Open(gateway, headers: ("ambrosia-instance-id", OtherId));
        await stream.SendAsync(Call(1, 1));
        Assert.Equal("IC-7022", (await stream.NextAsync(1)).Single().Refusal?.Code);
        Assert.Empty(shop.Entrance.Admitted);
        await using OpenStream right = Open(gateway, headers: ("ambrosia-instance-id", Id));
        await right.SendAsync(Call(1, 1));
        Assert.Null((await right.NextAsync(1)).Single().Refusal);
    }

    [Fact]
    public async Task A_repeat_says_which_instance_may_have_the_call_and_reaches_no_other_one()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using StreamingInstance dies = await StreamingInstance.StartAsync(static (_, _) => Task.FromResult(true));
        await gateway.PutAsync("shop", Id, dies.Address);
        await using OpenStream first = Open(gateway);
        await first.SendAsync(Call(1, 1));
        await Within.Until(() => dies.Calls.Length == 1);
        ServingInstance told = await first.ServingAsync(); // Before the call has left, so it is here by now, or on the way.
        Assert.Equal(("shop", Id), (told.Instance, told.InstanceId));
        first.Abort();
        await dies.DisposeAsync(); // What the gateway remembers of it leads nowhere.

        await using IngressUnderTest other = await gateway.AddAsync("shop", OtherId);
        await using OpenStream second = Open(gateway);
        StreamedCall again = Call(1, 1);
        again.InstanceId = told.InstanceId;
        await second.SendAsync(again);
        Assert.Equal("IC-7022", (await second.NextAsync(1)).Single().Refusal?.Code);
        Assert.Empty(other.Entrance.Admitted);
        again.InstanceId = OtherId;
        await second.SendAsync(again);
        Assert.Null((await second.NextAsync(1)).Single().Refusal);
        Assert.Equal(("shop", OtherId), (second.Serving[^1].Instance, second.Serving[^1].InstanceId));
    }

    [Fact]
    public async Task The_instance_is_named_also_to_calls_that_go_alone()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using StreamingInstance shop = await StreamingInstance.StartAsync(null);
        await gateway.PutAsync("shop", Id, shop.Address);
        await using OpenStream stream = Open(gateway);
        await stream.SendAsync(Call(1, 1), Call(2, 2));
        await stream.NextAsync(2);
        Assert.Equal(Id, Assert.Single(stream.Serving).InstanceId);
    }

    [Fact]
    public async Task A_stream_that_ends_in_good_order_has_not_read_what_it_has_not_answered()
    {
        int streams = 0;
        await using GatewayUnderTest gateway = await StartAsync();
        await using StreamingInstance shop = await StreamingInstance.StartAsync(async (context, calls) =>
        {
            if (Interlocked.Increment(ref streams) == 1)
            {
                return false;
            }

            return await AnswerAllAsync(context, calls);
        });
        await gateway.PutAsync("shop", Id, shop.Address);
        await using OpenStream stream = Open(gateway);
        await stream.SendAsync(Call(1, 1));
        Assert.Equal([1ul], Ids(await stream.NextAsync(1)));
        Assert.Equal(["Calls", "Calls"], shop.Requests);
    }

    [Fact] // Of a later instance, or a broken one.
    public async Task A_reply_that_cannot_be_read_is_passed_on_and_ends_no_other_call()
    {
        byte[] unreadable = [0x0a, 0x7f];
        await using GatewayUnderTest gateway = await StartAsync();
        await using StreamingInstance shop = await StreamingInstance.StartAsync(async (context, calls) =>
        {
            var batch = new IngressBatchWriter();
            batch.AddWritten(calls[0].Id, unreadable);
            await StreamingInstance.TellAsync(context, batch);
            return true;
        });
        await gateway.PutAsync("shop", Id, shop.Address);
        using AsyncDuplexStreamingCall<byte[], byte[]> stream = OpenRaw(gateway);
        var replies = new List<IngressStreamedReply>();
        for (ulong id = 1; id <= 3; id++)
        {
            await stream.RequestStream.WriteAsync(new CallBatch { Calls = { Call(id, id) } }.ToByteArray());
            while (replies.Count < (int)id)
            {
                Assert.True(await stream.ResponseStream.MoveNext(default));
                replies.AddRange(IngressStreamedReply.ReadBatch(stream.ResponseStream.Current));
            }
        }

        Assert.Equal(["0A7F", "0A7F", "0A7F"], replies.Select(static reply => Convert.ToHexString(reply.Reply!)));
        Assert.Equal(["Calls"], shop.Requests);
    }

    [Fact]
    public async Task Where_an_instance_has_no_room_for_one_clients_stream_others_still_have_theirs()
    {
        var problem = new CoordinatorHost.Ingress.Problem(429, IngressErrors.TooManyAtOnce, "too many streams");
        int streams = 0;
        await using GatewayUnderTest gateway = await StartAsync();
        await using StreamingInstance shop = await StreamingInstance.StartAsync(async (context, calls) =>
        {
            if (context.Items.Count == 0 && Interlocked.Increment(ref streams) == 1)
            {
                await CoordinatorHost.Ingress.GrpcAnswer.RefuseAsync(context, problem);
                throw new OperationCanceledException();
            }

            context.Items["told"] = true;
            return await AnswerAllAsync(context, calls);
        });
        await gateway.PutAsync("shop", Id, shop.Address);
        await using OpenStream first = Open(gateway), second = Open(gateway);
        foreach (OpenStream each in new[] { first, first, second, second })
        {
            await each.SendAsync(Call(1, 1));
            Assert.Null((await each.NextAsync(1)).Single().Refusal);
        }

        Assert.Equal(["Calls", "Call", "Call", "Calls"], shop.Requests);
    }

    [Fact] // A coordinator of before.
    public async Task Where_an_instance_has_no_streams_calls_go_alone_and_one_is_not_tried_for_each()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using StreamingInstance shop = await StreamingInstance.StartAsync(null);
        await gateway.PutAsync("shop", Id, shop.Address);
        await using OpenStream stream = Open(gateway);
        for (ulong i = 0; i < 5; i++)
        {
            StreamedCall call = Call(i, i + 1);
            call.Sends = i == 4;
            await stream.SendAsync(call);
            StreamedReply told = (await stream.NextAsync(1)).Single();
            Assert.Equal((i, CallReply.OutcomeOneofCase.Nothing), (told.Id, told.Reply.OutcomeCase));
        }

        Assert.Equal(["Calls", "Call", "Call", "Call", "Call", "Send"], shop.Requests);
    }

    [Fact]
    public async Task What_is_refused_where_calls_go_alone_is_told_with_all_that_it_says()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        var problem = new CoordinatorHost.Ingress.Problem(409, IngressErrors.OtherBody, "another (100 %) body: ü", IsFinal: true);
        await using StreamingInstance shop = await StreamingInstance.StartAsync(
            null, context => CoordinatorHost.Ingress.GrpcAnswer.RefuseAsync(context, problem));
        await gateway.PutAsync("shop", Id, shop.Address);
        await using OpenStream stream = Open(gateway);
        await stream.SendAsync(Call(1, 1));
        Refusal told = (await stream.NextAsync(1)).Single().Refusal;
        Assert.Equal((6, "IC-7003", true), (told.Status, told.Code, told.Final));
        Assert.EndsWith(": another (100 %) body: ü", told.Message, StringComparison.Ordinal);
    }

    [Fact] // Others would wait behind it, and an instance takes messages of 128 KiB.
    public async Task A_large_call_goes_alone()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using StreamingInstance shop = await StreamingInstance.StartAsync(AnswerAllAsync);
        await gateway.PutAsync("shop", Id, shop.Address);
        StreamedCall large = Call(1, 1);
        large.Call.MessagePack = ByteString.CopyFrom(new byte[200_000]);
        await using OpenStream stream = Open(gateway);
        await stream.SendAsync(large, Call(2, 2));
        Assert.Equal([1ul, 2], Ids(await stream.NextAsync(2)));
        Assert.Equal(["Call", "Calls"], shop.Requests.Order());
    }

    [Fact]
    public async Task Each_call_takes_a_place_counts_in_the_rate_and_has_a_size()
    {
        await using GatewayUnderTest gateway = await StartAsync(static options => options with { MaxRequestsOfOne = 2, MaxBody = 1000 });
        await using IngressUnderTest shop = await gateway.AddAsync();
        shop.Entrance.Answer = static call => call.Key!.Value.N < 10 ? null : s_nothing;
        StreamedCall large = Call(4, 4);
        large.Call.MessagePack = ByteString.CopyFrom(new byte[1000]);
        await using OpenStream stream = Open(gateway);
        await stream.SendAsync(Call(1, 1), Call(2, 2));
        await Within.Until(() => shop.Entrance.Admitted.Count == 2);
        await stream.SendAsync(Call(3, 3), large);
        Assert.Equal(
            [(3ul, "IC-7015"), (4, "IC-7014")], (await stream.NextAsync(2)).Select(static reply => (reply.Id, reply.Refusal.Code)));
        shop.Entrance.Complete(s_nothing);
        Assert.Equal([1ul, 2], Ids(await stream.NextAsync(2)));
        await stream.SendAsync(Call(5, 10));
        Assert.Null((await stream.NextAsync(1)).Single().Refusal);

        await using GatewayUnderTest slow = await StartAsync(static options => options with { Rate = 2 });
        await slow.PutAsync("shop", Id, shop.Address);
        await using OpenStream often = Open(slow);
        await often.SendAsync(Call(1, 11, "nowhere"), Call(2, 12, "nowhere"), Call(3, 13, "nowhere"));
        string[] codes = [.. (await often.NextAsync(3)).Select(static reply => reply.Refusal.Code).Order()];
        Assert.Equal(("IC-7023", "IC-7025"), (codes[0], codes[2])); // The stream itself is a request, too.
    }

    [Fact]
    public async Task Who_waits_no_more_says_so_to_the_instance()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using StreamingInstance shop = await StreamingInstance.StartAsync(static (_, _) => Task.FromResult(true));
        await gateway.PutAsync("shop", Id, shop.Address);
        await using OpenStream stream = Open(gateway);
        await stream.SendAsync(Call(1, 1));
        await Within.Until(() => shop.Calls.Length == 1);
        await stream.SendAsync(new StreamedCall { Id = 1 });
        await Within.Until(() => shop.Calls.Length == 2);
        Assert.Equal((shop.Calls[0].Id, null), (shop.Calls[1].Id, shop.Calls[1].Call));
    }

    [Fact]
    public async Task A_stop_waits_for_what_is_being_answered_on_streams_and_tells_the_rest()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        shop.Entrance.Answer = static _ => null;
        await using OpenStream waiting = Open(gateway), idle = Open(gateway);
        await waiting.SendAsync(Call(1, 1));
        await idle.SendAsync(new StreamedCall { Id = 1 });
        await Within.Until(() => shop.Entrance.Admitted.Count == 1);
        Task<int> stopping = gateway.Server.StopAsync(TimeSpan.FromSeconds(20));
        await idle.EndedAsync();
        await waiting.SendAsync(Call(2, 2));
        StreamedReply refused = (await waiting.NextAsync(1)).Single();
        Assert.Equal((2ul, 14, "IC-7007"), (refused.Id, refused.Refusal.Status, refused.Refusal.Code));
        shop.Entrance.Complete(s_nothing);
        Assert.Equal([1ul], Ids(await waiting.NextAsync(1)));
        await waiting.EndedAsync();
        Assert.Equal(0, await stopping.OrFail());
        Assert.Single(shop.Entrance.Admitted);
    }

    [Fact]
    public async Task What_a_stop_does_not_wait_for_is_told_that_it_may_be_repeated()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        shop.Entrance.Answer = static _ => null;
        await using OpenStream stream = Open(gateway);
        await stream.SendAsync(Call(1, 1));
        await Within.Until(() => shop.Entrance.Admitted.Count == 1);
        Assert.Equal(1, await gateway.Server.StopAsync(TimeSpan.FromMilliseconds(200)).OrFail());
        Refusal told = (await stream.NextAsync(1)).Single().Refusal;
        Assert.Equal("IC-7007", told.Code);
        Assert.EndsWith("the gateway stops; repeat it with its key", told.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_call_whose_instance_is_not_reached_is_told_so_when_its_time_is_over()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await gateway.PutAsync("shop", Id, new Uri("http://127.0.0.1:1/"));
        StreamedCall call = Call(1, 1);
        call.Wait = 300;
        await using OpenStream stream = Open(gateway);
        await stream.SendAsync(call);
        Refusal told = (await stream.NextAsync(1)).Single().Refusal;
        Assert.Equal((14, "IC-7007"), (told.Status, told.Code));
        Assert.Contains("was not reached in time", told.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_call_that_waits_long_is_accepted_at_last()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        shop.Entrance.Answer = static _ => null;
        StreamedCall hasty = Call(1, 1), sends = Call(2, 2);
        (hasty.Wait, sends.Sends) = (200, true);
        await using OpenStream stream = Open(gateway);
        await stream.SendAsync(hasty, sends);
        Assert.All(await stream.NextAsync(2), static reply => Assert.Equal(CallReply.OutcomeOneofCase.Accepted, reply.Reply.OutcomeCase));
        Assert.Equal(2, shop.Entrance.Admitted.Count);
    }

    [Fact]
    public async Task An_instance_that_does_not_trust_the_gateway_says_so_on_streams_as_well()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest guarded = await IngressUnderTest.StartAsync(
            tokens: CoordinatorHost.Ingress.IngressTokens.Load(
                gateway.CallersFile, TimeProvider.System, Microsoft.Extensions.Logging.Abstractions.NullLogger.Instance));
        await gateway.PutAsync("shop", Id, guarded.Address);
        await using OpenStream stream = Open(gateway);
        await stream.SendAsync(Call(1, 1));
        Assert.Equal("IC-7024", (await stream.NextAsync(1)).Single().Refusal.Code);
    }

    private static async Task<bool> AnswerAllAsync(HttpContext context, IngressStreamedCall[] calls)
    {
        await StreamingInstance.AnswerAsync(context, [.. calls.Select(static call => call.Id)]);
        return true;
    }

    private OpenStream Open(GatewayUnderTest gateway, string token = "one", params (string Name, string Value)[] headers)
    {
        GrpcChannel channel = GrpcChannel.ForAddress($"http://127.0.0.1:{gateway.Port}");
        _channels.Add(channel);
        Metadata head = new() { { "authorization", $"Bearer {token}" } };
        Array.ForEach(headers, each => head.Add(each.Name, each.Value));
        return new OpenStream(new V1.Ingress.IngressClient(channel).Calls(head, DateTime.UtcNow + Patience.Time));
    }

    // Google's reader would end with a message that it cannot read.
    private AsyncDuplexStreamingCall<byte[], byte[]> OpenRaw(GatewayUnderTest gateway)
    {
        GrpcChannel channel = GrpcChannel.ForAddress($"http://127.0.0.1:{gateway.Port}");
        _channels.Add(channel);
        Marshaller<byte[]> asItIs = Marshallers.Create<byte[]>(static bytes => bytes, static bytes => bytes);
        var calls = new Method<byte[], byte[]>(
            MethodType.DuplexStreaming, IngressService.Name, IngressService.Calls, asItIs, asItIs);
        return channel.CreateCallInvoker().AsyncDuplexStreamingCall(
            calls, null, new CallOptions(new Metadata { { "authorization", "Bearer one" } }, DateTime.UtcNow + Patience.Time));
    }

    private static StreamedCall Call(ulong id, ulong number, string instance = "shop") => new()
    {
        Id = id,
        Call = new CallRequest
        {
            Instance = instance, Method = "Order", MessagePack = ByteString.CopyFrom(0x92, 0xa1, 0x61, 1),
            Key = new Key { Text = "order-42", Made = 1_795_439_000_000, Number = number },
        },
    };

    private static IEnumerable<ulong> Ids(StreamedReply[] replies) => replies.Select(static reply => reply.Id).Order();
}
