using System.Net;
using System.Net.Sockets;
using Ambrosia.CoordinatorHost.Gateway;
using Ambrosia.CoordinatorHost.Ingress;

namespace Ambrosia.ImmortalCoordinator.Tests.Gateway;

/// <summary>What an instance that is just being killed looks like to a gateway.</summary>
public sealed class InstanceLinkTests
{
    [Fact] // Found by 300 kills under 1,000 clients: about one such connection in a thousand ends in a bare SocketException.
    public async Task A_connection_that_is_reset_while_it_is_made_is_a_try_that_failed()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(512);
        var address = new Uri($"http://{listener.LocalEndPoint}");
        using var stop = new CancellationTokenSource();
        Task[] resetting = [.. Enumerable.Range(0, 4).Select(_ => Task.Run(() => ResetAsync(listener, stop.Token)))];
        using (var link = new InstanceLink(static () => null, null, TimeSpan.FromSeconds(5), TimeProvider.System))
        {
            var call = new ForwardedCall
            {
                Instance = "bank", Method = HttpMethod.Post, Path = "/v1/immortals/bank/Add", MayRepeat = true,
                Wait = TimeSpan.FromSeconds(1), Body = new byte[1],
            };
            var route = new Route(address, GatewayUnderTest.Id);
            await Parallel.ForAsync(0, 12_000, new ParallelOptions { MaxDegreeOfParallelism = 16 }, async (_, _) =>
                Assert.Contains(
                    (await link.TryAsync(call, route, call.Wait, CancellationToken.None)).Outcome,
                    new[] { TryOutcome.NotSent, TryOutcome.Broken }));
            await Parallel.ForAsync(0, 2_000, new ParallelOptions { MaxDegreeOfParallelism = 16 }, async (_, _) =>
                await Assert.ThrowsAsync<IOException>(() => link.AskIdAsync("bank", address, CancellationToken.None)));
        }

        await stop.CancelAsync();
        await Task.WhenAll(resetting);
    }

    [Theory] // Else it answers when its caller's deadline has come.
    [InlineData(200)]
    [InlineData(800)]
    [InlineData(4000)]
    [InlineData(4001)]
    [InlineData(10_000)]
    public async Task An_instance_over_gRPC_waits_as_long_as_it_is_asked_to(int milliseconds)
    {
        TimeSpan waited = TimeSpan.Zero;
        await using StreamingInstance instance = await StreamingInstance.StartAsync(null, context =>
        {
            waited = GrpcEndpoint.WaitOf(context.Request, IngressLimits.Product);
            return StreamingInstance.NothingAsync(context);
        });
        using var link = new InstanceLink(static () => null, null, TimeSpan.FromSeconds(5), TimeProvider.System);
        var wait = TimeSpan.FromMilliseconds(milliseconds);
        var call = new ForwardedCall
        {
            Instance = "bank", Method = HttpMethod.Post, Path = "/ambrosia.v1.Ingress/Call", MayRepeat = true, IsGrpc = true,
            Wait = wait, Body = new byte[5],
        };
        TryResult result = await link.TryAsync(call, new Route(instance.Address, GatewayUnderTest.Id), wait, CancellationToken.None);
        result.Answer?.Dispose();
        Assert.Equal(wait.TotalMilliseconds, waited.TotalMilliseconds, 1.0);
    }

    private static async Task ResetAsync(Socket listener, CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            try
            {
                using Socket taken = await listener.AcceptAsync(stop);
                taken.LingerState = new LingerOption(true, 0);
            }
            catch (OperationCanceledException)
            {
                // The test is over.
            }
        }
    }
}
