using System.Net;
using System.Net.Sockets;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Transport;

/// <summary>Names of hosts, as catalogs hold them: they may stand for several addresses, of which some lead nowhere.</summary>
public sealed class HostNameTests
{
    private static readonly SocketTransport s_system = new(new SocketTransportOptions(), TimeProvider.System, NullLogger.Instance);

    [Fact]
    public async Task The_next_address_of_a_name_is_tried_when_one_refuses()
    {
        var came = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using IListener listener =
            await s_system.ListenAsync(EndPointName.Tcp("127.0.0.1", 0), _ => { came.TrySetResult(); return Task.CompletedTask; }, default);
        SocketTransport transport = Knowing(IPAddress.Parse("127.0.0.2"), IPAddress.Parse("127.0.0.3"), IPAddress.Loopback);
        await using IConnection connection =
            await transport.ConnectAsync(EndPointName.Tcp("immortal-bank", listener.EndPoint.Port), default);
        await came.Task.OrFail();
        Assert.Contains("127.0.0.1", connection.Peer, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_name_without_an_address_that_answers_fails_by_its_name()
    {
        int port;
        await using (IListener listener =
            await s_system.ListenAsync(EndPointName.Tcp("127.0.0.1", 0), static _ => Task.CompletedTask, default))
        {
            port = listener.EndPoint.Port;
        }

        foreach (SocketTransport transport in (SocketTransport[])[Knowing(IPAddress.Parse("127.0.0.2"), IPAddress.Loopback), Knowing()])
        {
            var error = await Assert.ThrowsAsync<ConnectFailedException>(async () =>
                await transport.ConnectAsync(EndPointName.Tcp("immortal-bank", port), default));
            Assert.Contains("immortal-bank", error.Message, StringComparison.Ordinal);
            Assert.IsType<SocketException>(error.InnerException);
        }
    }

    private static SocketTransport Knowing(params IPAddress[] addresses) =>
        new(new SocketTransportOptions(), TimeProvider.System, NullLogger.Instance, resolve: (_, _) => Task.FromResult(addresses));
}
