using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.ImmortalCoordinator.Transport;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Transport;

/// <summary>An encrypted transport owes what every other does.</summary>
public sealed class TlsTransportTests : TransportConformance, IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly TestAuthority _authority;

    public TlsTransportTests()
    {
        _authority = new TestAuthority(_folder, "authority");
        Server = TestAuthority.Transport(_authority.Issue("bank"), "bank", NullLogger.Instance);
        Client = TestAuthority.Transport(_authority.Issue("shop"), "shop", NullLogger.Instance);
    }

    protected override ITransport Server { get; }

    protected override ITransport Client { get; }

    protected override EndPointName Address => EndPointName.Tcp("127.0.0.1", 0);

    public void Dispose()
    {
        _authority.Dispose();
        _folder.Dispose();
    }
}
