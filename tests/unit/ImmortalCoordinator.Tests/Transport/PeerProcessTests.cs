using System.Net.Sockets;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.ImmortalCoordinator.Tests.Support;

namespace Ambrosia.ImmortalCoordinator.Tests.Transport;

/// <summary>What the kernel tells of the process at the other end of a Unix socket.</summary>
public sealed class PeerProcessTests : IDisposable
{
    private readonly TemporaryFolder _home = new();

    public void Dispose() => _home.Dispose();

    [Fact]
    public async Task A_process_that_is_stopped_is_known_as_such_until_it_goes_on_or_ends()
    {
        using var other = new CoordinatorUnderTest(_home, "--instance-name", "bank", "--binding-socket", _home["app.sock"]);
        await other.SaysAsync("waits for its app");
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await socket.ConnectAsync(new UnixDomainSocketEndPoint(_home["app.sock"]));
        using PeerProcess process = Assert.IsType<PeerProcess>(PeerProcess.Of(socket));
        Assert.False(process.IsStopped);
        other.Signal("STOP");
        await Within.Until(() => process.IsStopped);
        other.Signal("CONT");
        await Within.Until(() => !process.IsStopped);
        other.Signal("STOP");
        await Within.Until(() => process.IsStopped);
        other.Process.Kill();
        await other.EndAsync();
        Assert.False(process.IsStopped);
    }
}
