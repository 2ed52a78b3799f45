using System.Net;
using System.Net.Sockets;
using Ambrosia.Cli.Commands;

namespace Ambrosia.Cli.Tests;

/// <summary><c>ambrosia gateway</c>: what is refused before it listens.</summary>
public sealed class GatewayTests : IDisposable
{
    private readonly CommandFixture _command = new();

    public void Dispose() => _command.Dispose();

    [Theory]
    [InlineData("--listen 0.0.0.0:0", "--tokens")]
    [InlineData("--listen nowhere", "--listen nowhere")]
    [InlineData("--listen 127.0.0.1:0 --tokens /callers", "--token-file")]
    [InlineData("--listen 127.0.0.1:0 --max-body much", "--max-body")]
    [InlineData("--listen 127.0.0.1:0 --max-requests 0", "--max-requests")]
    [InlineData("--listen 127.0.0.1:0 --rate -1", "--rate")]
    [InlineData("--listen 127.0.0.1:0 --origins https://shop.example/", "--origins")]
    [InlineData("--listen 127.0.0.1:0 --origins *", "--tokens")]
    [InlineData("--listen 127.0.0.1:0 --stop-time soon", "--stop-time")]
    [InlineData("--listen 127.0.0.1:0 --catalog dns:{instance}:4100", "--instance-url")]
    public async Task What_cannot_be_is_refused_with_the_option_that_says_otherwise(string options, string advice)
    {
        (int code, string output, string error) = await _command.RunAsync($"gateway {options}");
        Assert.Equal((int)CommandExit.Usage, code);
        Assert.Contains(advice, error, StringComparison.Ordinal);
        Assert.Empty(output);
    }

    [Fact]
    public async Task An_address_that_is_taken_ends_it_as_it_ends_a_coordinator()
    {
        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        (int code, _, string error) = await _command.RunAsync($"gateway --listen {taken.LocalEndpoint}");
        Assert.Equal((int)CommandExit.Unavailable, code);
        Assert.Contains("IC-1012", error, StringComparison.Ordinal);
    }
}
