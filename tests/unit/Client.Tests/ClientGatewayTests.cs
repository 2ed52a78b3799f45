using Ambrosia.Coordinator.Outside;
using Ambrosia.ImmortalCoordinator.Tests.Gateway;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;

namespace Ambrosia.Client.Tests;

/// <summary>Calls on streams through gateways: they follow instances, and a repeat reaches no other one of the name.</summary>
public sealed class ClientGatewayTests
{
    private const string Id = GatewayUnderTest.Id;
    private const string OtherId = "f123456789abcdef0123456789abcdef";
    private static readonly OutsideReply s_nothing = new(OutsideReplyKind.Answer, (byte)RpcForm.Void);

    [Fact]
    public async Task Calls_go_on_streams_through_a_gateway_and_stay_there_when_an_instance_fails_over()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using StreamingInstance second = await StreamingInstance.StartAsync(AnswerAllAsync);
        await using StreamingInstance first = await StreamingInstance.StartAsync(async (context, calls) =>
        {
            if (calls.Any(static call => call.Call!.Key!.Value.Number >= 100))
            {
                await gateway.PutAsync("shop", Id, second.Address); // The successor says where it is.
                context.Abort();
                return false;
            }

            return await AnswerAllAsync(context, calls);
        });
        await gateway.PutAsync("shop", Id, first.Address);
        using AmbrosiaClient client = Connect(gateway);
        ShopClient shop = client.Get<ShopClient>("shop");
        await EndsAsync(Task.WhenAll(Enumerable.Range(0, 50).Select(_ => shop.CloseAsync())));
        Assert.Equal(["Calls"], first.Requests);
        await EndsAsync(Task.WhenAll(Enumerable.Range(0, 150).Select(_ => shop.CloseAsync())));
        await EndsAsync(Task.WhenAll(Enumerable.Range(0, 50).Select(_ => shop.CloseAsync())));
        Assert.Equal(["Calls"], first.Requests.Distinct()); // A call that knew the way before it broke may open another one there.
        Assert.Equal(["Calls"], second.Requests.Distinct());
        Assert.Contains(second.Calls, static call => call.Call!.Key!.Value.Number >= 100);
        Assert.All(second.Calls, static call => Assert.Equal("", call.InstanceId)); // One gateway keeps the id by itself.
    }

    [Fact] // X22, over streams of two gateways: the first one dies with the instance, which is made anew under its name.
    public async Task A_call_that_one_instance_may_have_got_reaches_no_other_one_of_its_name_through_another_gateway()
    {
        await using GatewayUnderTest doomed = await StartAsync();
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await ServeAsync();
        await using IngressUnderTest anew = await ServeAsync();
        (shop.Entrance.Answer, anew.Entrance.InstanceId) = (static _ => null, new Guid(OtherId));
        await doomed.PutAsync("shop", Id, shop.Address);
        await gateway.PutAsync("shop", OtherId, anew.Address);
        using AmbrosiaClient client = Connect(doomed, gateway);
        ShopClient calls = client.Get<ShopClient>("shop");
        Task call = calls.CloseAsync();
        for (int i = 0; shop.Entrance.Asked == 0; i++)
        {
            Assert.True(i < 2000);
            await Task.Delay(5);
        }

        await doomed.DisposeAsync();
        CallRefusedException refused = await Assert.ThrowsAsync<CallRefusedException>(() => call.WaitAsync(TimeSpan.FromSeconds(20)));
        Assert.Equal("IC-7022", refused.Code);
        Assert.Empty(anew.Entrance.Admitted);
        await EndsAsync(calls.CloseAsync()); // A call of which that is not true.
        Assert.Single(anew.Entrance.Admitted);
    }

    [Fact] // outside-calls.md X27: also of calls that are too large for a stream between gateway and instance.
    public async Task An_immortal_without_a_log_may_start_again_behind_a_gateway_while_nothing_is_under_way()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest forgetful = await IngressUnderTest.StartAsync(logEndsWithProcess: true);
        forgetful.Told.Tell(ShopShapes.Text);
        using AmbrosiaClient client = Connect(gateway);
        using AmbrosiaClient other = Connect(gateway);
        (ShopClient shop, ShopClient large) = (client.Get<ShopClient>("shop"), other.Get<ShopClient>("shop"));
        foreach (string id in (string[])[Id, OtherId])
        {
            forgetful.Entrance.InstanceId = new Guid(id);
            await gateway.PutAsync("shop", id, forgetful.Address);
            await EndsAsync(shop.CloseAsync());
            await EndsAsync(shop.CloseAsync());
            await EndsAsync(large.OrderSend(new string('x', 32_700)));
        }

        Assert.Equal(6, forgetful.Entrance.Admitted.Count);
    }

    [Fact]
    public async Task A_call_follows_its_instance_to_another_gateway()
    {
        await using GatewayUnderTest doomed = await StartAsync();
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await ServeAsync();
        shop.Entrance.Answer = static _ => null;
        await doomed.PutAsync("shop", Id, shop.Address);
        await gateway.PutAsync("shop", Id, shop.Address);
        using AmbrosiaClient client = Connect(doomed, gateway);
        Task call = client.Get<ShopClient>("shop").CloseAsync();
        for (int i = 0; shop.Entrance.Asked < 2; i++)
        {
            await (shop.Entrance.Asked == 1 ? doomed.DisposeAsync() : default);
            await Task.Delay(5); // It has ended at once when it is ended again.
            Assert.True(i < 4000);
        }

        shop.Entrance.Complete(s_nothing);
        await EndsAsync(call);
        Assert.Single(shop.Entrance.Admitted);
    }

    [Fact]
    public async Task A_stream_that_names_another_instance_than_before_takes_no_new_call()
    {
        int streams = 0;
        await using StreamingInstance gateway = await StreamingInstance.StartAsync(async (context, calls) =>
        {
            bool isFirst = context.Items.Count > 0 || Interlocked.Increment(ref streams) == 1;
            context.Items["first"] = isFirst;
            await TellAsync(context, Id);
            await (calls.Length > 0 && isFirst ? TellAsync(context, OtherId) : Task.CompletedTask);
            return await AnswerAllAsync(context, calls);
        });
        using AmbrosiaClient client = new(new AmbrosiaClientOptions { Addresses = { gateway.Address.ToString().TrimEnd('/') } });
        ShopClient shop = client.Get<ShopClient>("shop");
        await EndsAsync(shop.CloseAsync());
        await EndsAsync(shop.CloseAsync());
        await EndsAsync(shop.CloseAsync());
        Assert.Equal(["Calls", "Calls"], gateway.Requests);
    }

    // As long as an instance is looked for: a message that says nothing is a sign of life.
    [Fact]
    public async Task A_gateway_that_has_greeted_is_not_silent()
    {
        await using StreamingInstance gateway = await StreamingInstance.StartAsync(async (context, calls) =>
        {
            if (calls.Any(static call => call.Call?.Key!.Value.Number == 1))
            {
                await StreamingInstance.TellAsync(context, new IngressBatchWriter());
                return true;
            }

            return await AnswerAllAsync(context, [.. calls.Where(static call => call.Call is not null)]);
        });
        using AmbrosiaClient client = new(new AmbrosiaClientOptions { Addresses = { gateway.Address.ToString().TrimEnd('/') } });
        ShopClient shop = client.Get<ShopClient>("shop");
        using var stop = new CancellationTokenSource(TimeSpan.FromSeconds(6));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => shop.CloseAsync(stop.Token));
        await EndsAsync(shop.CloseAsync());
        Assert.Equal(["Calls"], gateway.Requests);
    }

    private static Task TellAsync(Microsoft.AspNetCore.Http.HttpContext context, string id)
    {
        var batch = new IngressBatchWriter();
        batch.Add(new IngressServing("shop", id));
        return StreamingInstance.TellAsync(context, batch);
    }

    private static async Task<bool> AnswerAllAsync(Microsoft.AspNetCore.Http.HttpContext context, IngressStreamedCall[] calls)
    {
        await StreamingInstance.AnswerAsync(context, [.. calls.Select(static call => call.Id)]);
        return true;
    }

    // Before a try is over: after 30 seconds another one would hide what is wrong.
    private static async Task EndsAsync(Task call)
    {
        Assert.Same(call, await Task.WhenAny(call, Task.Delay(TimeSpan.FromSeconds(20))));
        Assert.Null(await Record.ExceptionAsync(() => call));
    }

    private static async Task<IngressUnderTest> ServeAsync()
    {
        IngressUnderTest ingress = await IngressUnderTest.StartAsync();
        ingress.Told.Tell(ShopShapes.Text);
        return ingress;
    }

    private static Task<GatewayUnderTest> StartAsync() => GatewayUnderTest.StartAsync(hasTokens: false);

    private static AmbrosiaClient Connect(params GatewayUnderTest[] gateways)
    {
        var options = new AmbrosiaClientOptions();
        Array.ForEach(gateways, gateway => options.Addresses.Add(gateway.Address.ToString().TrimEnd('/')));
        return new AmbrosiaClient(options);
    }
}
