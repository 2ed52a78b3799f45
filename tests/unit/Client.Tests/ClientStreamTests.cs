using System.Net;
using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ambrosia.Client.Tests;

/// <summary>Calls that go on a stream: together, alone where there are no streams, and on another one when theirs ends.</summary>
public sealed class ClientStreamTests
{
    private static readonly byte[] s_alone = [0, 0, 0, 0, 2, 0x12, 0]; // The reply "nothing" to a call that is a request.
    private static readonly OutsideReply s_nothing = new(OutsideReplyKind.Answer, (byte)RpcForm.Void);

    [Fact]
    public async Task Calls_of_many_callers_are_answered_each_with_its_own()
    {
        await using IngressUnderTest ingress = await StartAsync(IngressLimits.Product);
        ingress.Entrance.Answer = static call => new OutsideReply(
            OutsideReplyKind.Answer, (byte)RpcForm.Value, call.Arguments[^1..].ToArray()); // The last place that was counted.
        using AmbrosiaClient client = Connect(ingress.Address);
        ShopClient shop = client.Get<ShopClient>("shop");
        int[] numbers = [.. Enumerable.Range(0, 2000).Select(static n => n % 128)];
        Assert.Equal(numbers, await Task.WhenAll(numbers.Select(n => Task.Run(() => shop.CountAsync("x", [7, n])))));
        Assert.Equal(2000, ingress.Entrance.Admitted.Count);
    }

    [Fact]
    public async Task A_stream_that_the_server_ends_loses_no_call_and_repeats_none_that_was_answered()
    {
        await using IngressUnderTest ingress = await StartAsync(
            IngressLimits.Product with { Streams = new() { Time = TimeSpan.FromMilliseconds(20) } });
        ingress.Entrance.Answer = static _ => s_nothing;
        using AmbrosiaClient client = Connect(ingress.Address);
        ShopClient shop = client.Get<ShopClient>("shop");
        for (int i = 0; i < 40; i++)
        {
            await EndsAsync(Task.WhenAll(Enumerable.Range(0, 10).Select(_ => shop.CloseAsync())));
            await Task.Delay(5);
        }

        Assert.Equal(400, ingress.Entrance.Admitted.Count);
    }

    [Fact]
    public async Task A_call_without_a_reply_goes_on_another_stream_when_its_own_ends_in_good_order()
    {
        int streams = 0;
        await using WebApplication server = await ServeAsync(async context =>
        {
            context.Response.ContentType = "application/grpc";
            await context.Request.BodyReader.ReadAtLeastAsync(5); // The call, of which the first stream says nothing.
            if (Interlocked.Increment(ref streams) == 2)
            {
                // "Nothing", for call 1.
                await context.Response.Body.WriteAsync(new byte[] { 0, 0, 0, 0, 8, 0x0a, 6, 0x08, 1, 0x12, 2, 0x12, 0 });
            }

            context.Response.AppendTrailer("grpc-status", "0");
        });
        using AmbrosiaClient client = Connect(new Uri(server.Urls.Single()));
        await EndsAsync(client.Get<ShopClient>("shop").CloseAsync());
        Assert.Equal(2, streams);
    }

    [Fact]
    public async Task Where_there_is_no_room_for_a_stream_calls_go_alone()
    {
        await using IngressUnderTest ingress = await StartAsync(IngressLimits.Product with { Streams = new() { OpenOfOne = 0 } });
        ingress.Entrance.Answer = static _ => s_nothing;
        using AmbrosiaClient client = Connect(ingress.Address);
        await EndsAsync(Task.WhenAll(Enumerable.Range(0, 20).Select(_ => client.Get<ShopClient>("shop").CloseAsync())));
        Assert.Equal(20, ingress.Entrance.Admitted.Count);
    }

    // A gateway, and a coordinator of before.
    [Fact]
    public async Task Where_there_are_no_streams_calls_go_alone_and_one_is_not_tried_for_each()
    {
        int streams = 0, calls = 0;
        await using WebApplication server = await ServeAsync(async context =>
        {
            context.Response.ContentType = "application/grpc";
            if (context.Request.Path == "/ambrosia.v1.Ingress/Calls")
            {
                Interlocked.Increment(ref streams);
                context.Response.Headers["grpc-status"] = "12";
                return;
            }

            Interlocked.Increment(ref calls);
            await context.Response.Body.WriteAsync(s_alone);
            context.Response.AppendTrailer("grpc-status", "0");
        });
        using AmbrosiaClient client = Connect(new Uri(server.Urls.Single()));
        ShopClient shop = client.Get<ShopClient>("shop");
        for (int i = 0; i < 20; i++)
        {
            await EndsAsync(shop.CloseAsync());
        }

        Assert.Equal((1, 20), (streams, calls));
    }

    [Fact]
    public async Task A_call_whose_caller_gives_up_leaves_its_place_there()
    {
        await using IngressUnderTest ingress = await StartAsync(IngressLimits.Product with { RequestsOfOne = 1 });
        ingress.Entrance.Answer = static call => call.Key!.Value.N == 1 ? null : s_nothing;
        using AmbrosiaClient client = Connect(ingress.Address);
        ShopClient shop = client.Get<ShopClient>("shop");
        using var stop = new CancellationTokenSource();
        Task first = shop.CloseAsync(stop.Token);
        while (ingress.Entrance.Asked == 0)
        {
            await Task.Delay(5);
        }

        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
        await EndsAsync(shop.CloseAsync()); // The server would have waited on.
    }

    [Fact]
    public async Task Large_arguments_go_through()
    {
        await using IngressUnderTest ingress = await StartAsync(IngressLimits.Product);
        ingress.Entrance.Answer = static _ => new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Value, new byte[] { 5 });
        using AmbrosiaClient client = Connect(ingress.Address);
        string text = new('x', 500_000);
        int[] counted = await Task.WhenAll(Enumerable.Range(0, 20).Select(i =>
            client.Get<ShopClient>("shop").CountAsync(i % 2 == 0 ? text : "x", [1])));
        Assert.All(counted, static count => Assert.Equal(5, count));
    }

    private static async Task<IngressUnderTest> StartAsync(IngressLimits limits)
    {
        IngressUnderTest ingress = await IngressUnderTest.StartAsync(limits);
        ingress.Told.Tell(ShopShapes.Text);
        return ingress;
    }

    [Fact]
    public async Task What_is_gathered_may_be_larger_than_one_call_may_be()
    {
        await using IngressUnderTest ingress = await StartAsync(IngressLimits.Product with { Body = 1 << 10 });
        ingress.Entrance.Answer = static _ => new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Value, new byte[] { 5 });
        using AmbrosiaClient client = Connect(ingress.Address);
        ShopClient shop = client.Get<ShopClient>("shop");
        string text = new('x', 300);
        await EndsAsync(Task.WhenAll(Enumerable.Range(0, 400).Select(_ => Task.Run(() => shop.CountAsync(text, [1])))));
        CallRefusedException refused =
            await Assert.ThrowsAsync<CallRefusedException>(() => shop.CountAsync(new string('x', 2000), [1]));
        Assert.Equal("IC-7014", refused.Code);
    }

    [Theory]
    [InlineData(3, "IC-7014")]
    [InlineData(2, null)]
    [InlineData(8, "IC-7015")]
    public async Task What_a_stream_is_refused_with_is_no_answer_to_its_calls(int status, string? code)
    {
        int calls = 0;
        await using WebApplication server = await ServeAsync(async context =>
        {
            context.Response.ContentType = "application/grpc";
            if (context.Request.Path == "/ambrosia.v1.Ingress/Calls")
            {
                context.Response.Headers["grpc-status"] = $"{status}";
                context.Response.Headers["ambrosia-code"] = code;
                return;
            }

            Interlocked.Increment(ref calls);
            await context.Response.Body.WriteAsync(s_alone);
            context.Response.AppendTrailer("grpc-status", "0");
        });
        using AmbrosiaClient client = Connect(new Uri(server.Urls.Single()));
        await EndsAsync(Task.WhenAll(Enumerable.Range(0, 5).Select(_ => client.Get<ShopClient>("shop").CloseAsync())));
        Assert.Equal(5, calls);
    }

    // As a proxy that passes a request on when all of it is there.
    [Fact]
    public async Task Where_a_stream_stays_silent_calls_go_alone()
    {
        await using WebApplication server = await ServeAsync(async context =>
        {
            context.Response.ContentType = "application/grpc";
            if (context.Request.Path == "/ambrosia.v1.Ingress/Calls")
            {
                await Task.Delay(Timeout.Infinite, context.RequestAborted);
            }

            await context.Response.Body.WriteAsync(s_alone);
            context.Response.AppendTrailer("grpc-status", "0");
        });
        using AmbrosiaClient client = Connect(new Uri(server.Urls.Single()));
        ShopClient shop = client.Get<ShopClient>("shop");
        using var stop = new CancellationTokenSource(TimeSpan.FromSeconds(6));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => shop.CloseAsync(stop.Token));
        await EndsAsync(shop.CloseAsync());
    }

    [Fact]
    public void A_call_that_was_given_up_before_it_was_written_is_not_sent()
    {
        var batch = new IngressBatchWriter();
        var call = new StreamedCall(7, new IngressCallRequest("shop", "Close", 3, null, IngressForm.MessagePack, default), false, 1);
        Assert.True(call.TryDrop());
        call.WriteTo(batch);
        Assert.True(batch.Written.IsEmpty);
        var written = new StreamedCall(8, new IngressCallRequest("shop", "Close", 3, null, IngressForm.MessagePack, default), false, 1);
        written.WriteTo(batch);
        Assert.False(written.TryDrop());
        Assert.False(batch.Written.IsEmpty);
    }

    // Before a try is over: after 30 seconds another one would hide what is wrong.
    private static async Task EndsAsync(Task call)
    {
        Assert.Same(call, await Task.WhenAny(call, Task.Delay(TimeSpan.FromSeconds(20))));
        Assert.Null(await Record.ExceptionAsync(() => call));
    }

    private static async Task<WebApplication> ServeAsync(RequestDelegate answer)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.ConfigureKestrel(static server => server.Listen(
            IPAddress.Loopback, 0, static listen => listen.Protocols = HttpProtocols.Http2));
        WebApplication server = builder.Build();
        server.Run(answer);
        await server.StartAsync();
        return server;
    }

    private static AmbrosiaClient Connect(Uri address) =>
        new(new AmbrosiaClientOptions { Addresses = { address.ToString().TrimEnd('/') } });
}
