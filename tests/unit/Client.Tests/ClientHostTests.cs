using System.Net;
using System.Net.Sockets;
using Ambrosia.Coordinator.Outside;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Ambrosia.Primitives.Errors;

namespace Ambrosia.Client.Tests;

/// <summary>An address that stands for several hosts, as that of a service of Kubernetes does.</summary>
public sealed class ClientHostTests
{
    [Fact] // The connection to a former primary would last for as long as that one lives.
    public async Task Another_host_of_the_address_is_reached_when_one_does_not_serve()
    {
        await using IngressUnderTest secondary = await StartAsync();
        await using IngressUnderTest primary = await StartAsync();
        secondary.Entrance.Says = OutsideReplyKind.Unavailable;
        int port = secondary.Port;
        await AtOneNameAsync(() => Volatile.Read(ref port), async address =>
        {
            using AmbrosiaClient client = AmbrosiaClient.For(address);
            Task calling = client.Get<ShopClient>("shop").CloseAsync();
            while (secondary.Entrance.Asked == 0)
            {
                await Task.Delay(5);
            }

            Volatile.Write(ref port, primary.Port);
            await calling.WaitAsync(Patience.Time);
        });
        Assert.Single(primary.Entrance.Admitted);
    }

    [Fact]
    public async Task Another_host_of_a_URL_is_reached_when_one_does_not_serve()
    {
        await using IngressUnderTest secondary = await StartAsync();
        await using IngressUnderTest primary = await StartAsync();
        secondary.Awakeables.Refuses = OutsideReplyKind.Unavailable;
        (int port, int connections) = (secondary.Port, 0);
        int Reached()
        {
            Interlocked.Increment(ref connections);
            return Volatile.Read(ref port);
        }

        await AtOneNameAsync(Reached, async address =>
        {
            using AmbrosiaClient client = AmbrosiaClient.For();
            Task rejecting = client.RejectAsync($"{address}/v1/awakeables/{FakeAwakeables.Id()}");
            for (int looks = 0; Volatile.Read(ref connections) < 2; looks++)
            {
                Assert.True(looks < 600, "the connection that was kept stays with the host that it has reached");
                await Task.Delay(10);
            }

            Volatile.Write(ref port, primary.Port);
            await rejecting.WaitAsync(Patience.Time);
        });
        Assert.Single(primary.Awakeables.Taken);
    }

    [Fact]
    public async Task An_address_of_another_immortal_among_several_is_passed_by()
    {
        await using IngressUnderTest till = await StartAsync("till");
        await using IngressUnderTest bin = await StartAsync("bin");
        await using IngressUnderTest shop = await StartAsync();
        using (AmbrosiaClient client = AmbrosiaClient.For(till.Address.ToString(), bin.Address.ToString(), shop.Address.ToString()))
        {
            await client.Get<ShopClient>("shop").CloseAsync().WaitAsync(Patience.Time);
            Assert.Single(shop.Entrance.Admitted);
        }

        using AmbrosiaClient wrong = AmbrosiaClient.For(till.Address.ToString(), bin.Address.ToString());
        CallRefusedException refused = await Assert.ThrowsAsync<CallRefusedException>(
            () => wrong.Get<ShopClient>("shop").CloseAsync().WaitAsync(Patience.Time));
        Assert.Equal(IngressErrors.NoSuchMethod.Id, refused.Code);
    }

    [Fact] // The other one does not serve, and says nothing of methods.
    public async Task What_the_serving_address_of_several_does_not_offer_is_refused_at_once()
    {
        await using IngressUnderTest shop = await IngressUnderTest.StartAsync();
        shop.Told.Tell("""{"interface":"Shop.IShop","methods":[],"types":[]}""");
        await using IngressUnderTest secondary = await StartAsync();
        secondary.Entrance.Says = OutsideReplyKind.Unavailable;
        using AmbrosiaClient client = AmbrosiaClient.For(secondary.Address.ToString(), shop.Address.ToString());
        CallRefusedException refused = await Assert.ThrowsAsync<CallRefusedException>(
            () => client.Get<ShopClient>("shop").CloseAsync().WaitAsync(Patience.Time));
        Assert.Equal(IngressErrors.NoSuchMethod.Id, refused.Code);
    }

    // An address whose connections reach the port of the moment.
    private static async Task AtOneNameAsync(Func<int> port, Func<string, Task> test)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var stop = new CancellationTokenSource();
        Task passing = PassAsync(listener, port, stop.Token);
        await test($"http://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}");
        await stop.CancelAsync();
        await passing;
    }

    // A client that connects is passed on to the host of that moment, and stays with it.
    private static async Task PassAsync(TcpListener listener, Func<int> port, CancellationToken stop)
    {
        var connections = new List<Task>();
        try
        {
            while (true)
            {
                TcpClient near = await listener.AcceptTcpClientAsync(stop);
                var far = new TcpClient();
                await far.ConnectAsync(IPAddress.Loopback, port(), stop);
                connections.Add(CopyAsync(near, far, stop));
                connections.Add(CopyAsync(far, near, stop));
            }
        }
        catch (OperationCanceledException)
        {
            await Task.WhenAll(connections);
        }
    }

    private static async Task CopyAsync(TcpClient from, TcpClient to, CancellationToken stop)
    {
        try
        {
            await from.GetStream().CopyToAsync(to.GetStream(), stop);
        }
        catch (Exception error) when (error is IOException or OperationCanceledException or ObjectDisposedException)
        {
            // One of both is gone.
        }
        finally
        {
            from.Dispose();
            to.Dispose();
        }
    }

    private static async Task<IngressUnderTest> StartAsync(string instance = "shop")
    {
        IngressUnderTest ingress = await IngressUnderTest.StartAsync(instance: instance);
        ingress.Told.Tell(ShopShapes.Text);
        return ingress;
    }
}
