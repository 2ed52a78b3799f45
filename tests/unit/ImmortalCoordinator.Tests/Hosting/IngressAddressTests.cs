using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Options;

namespace Ambrosia.ImmortalCoordinator.Tests.Hosting;

/// <summary>Where a coordinator says that a gateway reaches it.</summary>
public sealed class IngressAddressTests
{
    [Theory]
    [InlineData("", "", "", "10.0.0.7", "")] // Off.
    [InlineData("10.0.0.7", "", "", "10.0.0.9", "http://10.0.0.7:8080")]
    [InlineData("10.0.0.7", "", "/cert", "10.0.0.9", "https://10.0.0.7:8080")]
    [InlineData("0.0.0.0", "", "", "bank.example", "http://bank.example:8080")]
    [InlineData("::", "", "", "::1", "http://[::1]:8080")]
    [InlineData("0.0.0.0", "", "", "", "http://127.0.0.1:8080")] // Peers come by a pipe or a socket of this machine.
    [InlineData("0.0.0.0", "https://bank.internal", "", "bank.example", "https://bank.internal")]
    public void It_is_what_was_given_or_follows_from_where_it_listens(
        string listens, string given, string certificate, string advertised, string expected)
    {
        var options = new CoordinatorOptions
        {
            Ingress = listens.Length == 0 ? null : EndPointName.Tcp(listens, 8080),
            IngressAdvertise = given, IngressCertFile = certificate,
            IngressUrl = "https://calls.example/bank", // What awakeables begin with: it may be the gateway's own.
        };
        EndPointName peers = advertised.Length == 0 ? EndPointName.Pipe("peers") : EndPointName.Tcp(advertised, 4100);
        Assert.Equal(expected, options.AddressOfIngress(peers));
    }
}
