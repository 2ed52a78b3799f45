using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Transport;

public sealed class TcpTransportTests : TransportConformance
{
    private readonly SocketTransport _transport = new(new SocketTransportOptions(), TimeProvider.System, NullLogger.Instance);

    protected override ITransport Server => _transport;

    protected override ITransport Client => _transport;

    protected override EndPointName Address => EndPointName.Tcp("127.0.0.1", 0);
}

public sealed class UnixTransportTests : TransportConformance, IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly SocketTransport _transport = new(new SocketTransportOptions(), TimeProvider.System, NullLogger.Instance);

    protected override ITransport Server => _transport;

    protected override ITransport Client => _transport;

    protected override EndPointName Address => EndPointName.Unix(_folder["new/app.sock"]);

    public void Dispose() => _folder.Dispose();
}

public sealed class MemoryTransportTests : TransportConformance
{
    private readonly Ambrosia.Coordinator.Transport.Memory.MemoryNetwork _network = new(new());

    protected override ITransport Server => _network.Node("server");

    protected override ITransport Client => _network.Node("client");

    protected override EndPointName Address => EndPointName.Pipe("app");
}
