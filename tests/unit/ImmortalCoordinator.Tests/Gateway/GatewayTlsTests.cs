using System.Diagnostics;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Text;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Gateway;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;
using Ambrosia.Tests.Common;
using Ambrosia.V1;
using Grpc.Core;
using Grpc.Net.Client;
using Microsoft.Extensions.Logging.Abstractions;
using static Ambrosia.ImmortalCoordinator.Tests.Gateway.GatewayUnderTest;

namespace Ambrosia.ImmortalCoordinator.Tests.Gateway;

/// <summary>A gateway with a certificate, and instances with one, over real sockets.</summary>
public sealed class GatewayTlsTests : IDisposable
{
    private const string Key = IngressUnderTest.Key;
    private static readonly TimeSpan s_atOnce = TimeSpan.FromSeconds(15); // Its caller would wait 30.
    private readonly TemporaryFolder _folder = new();
    private readonly Authority _authority;
    private readonly Authority _other;

    public GatewayTlsTests() => (_authority, _other) = (new Authority(_folder.Path, "ca"), new Authority(_folder.Path, "other-ca"));

    public void Dispose()
    {
        _authority.Dispose();
        _other.Dispose();
        _folder.Dispose();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Calls_are_encrypted_on_both_sides_of_a_gateway_over_both_versions_of_HTTP(int version)
    {
        await using GatewayUnderTest gateway = await StartEncryptedAsync();
        await using IngressUnderTest shop = await gateway.AddAsync(certificate: await LoadAsync("shop"));
        Assert.Equal(("https", "https"), (gateway.Address.Scheme, shop.Address.Scheme));
        using var client = new HttpClient(Handler(_authority.File));
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri(gateway.Address, "/v1/immortals/shop/Order"))
        {
            Version = new Version(version, version == 1 ? 1 : 0), VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = new StringContent("""{"item":"tea"}""", Encoding.UTF8, "application/json"),
        };
        request.Headers.TryAddWithoutValidation("Authorization", "Bearer one");
        using HttpResponseMessage answer = await client.SendAsync(request);
        Assert.Equal((HttpStatusCode.NoContent, version), (answer.StatusCode, answer.Version.Major));
        Assert.Single(shop.Entrance.Admitted);
    }

    [Fact]
    public async Task Calls_are_encrypted_on_both_sides_of_a_gateway_over_gRPC()
    {
        await using GatewayUnderTest gateway = await StartEncryptedAsync();
        await using IngressUnderTest shop = await gateway.AddAsync(certificate: await LoadAsync("shop"));
        shop.Entrance.Answer = static _ => new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Value, new byte[] { 5 });
        Assert.Equal("5", (await OrderAsync(gateway)).Json);
        Assert.Equal("alice", Assert.Single(shop.Entrance.Admitted).Key!.Value.Caller);
    }

    [Theory]
    [InlineData(false, true)]
    [InlineData(true, true)] // Where the catalog says no id the instance is asked first, with the gateway's token.
    [InlineData(false, false)] // Signed for another name than that of the address.
    public async Task An_instance_whose_certificate_is_not_trusted_gets_nothing_and_the_caller_is_told_at_once(bool isAsked, bool isNamed)
    {
        await using GatewayUnderTest gateway = await StartEncryptedAsync(
            options => options with { InstanceUrl = "https://127.0.0.1:1/{instance}" });
        await using IngressUnderTest shop =
            await gateway.AddAsync(certificate: await LoadAsync("shop", isNamed ? _other : _authority));
        await gateway.PutAsync(
            "shop", isAsked ? "" : Id, isNamed ? shop.Address : new Uri($"https://127.0.0.1:{shop.Port}"));
        long began = Stopwatch.GetTimestamp();
        foreach (string? key in new[] { Key, null })
        {
            (int status, string text, _) = await gateway.OrderAsync(key);
            Assert.Equal(502, status);
            Assert.Equal("IC-7026", CodeOf(text));
            Assert.Contains("certificate", text, StringComparison.Ordinal);
            Assert.DoesNotContain(await File.ReadAllTextAsync(gateway.TokenFile), text, StringComparison.Ordinal);
            Assert.DoesNotContain("127.0.0.1", text, StringComparison.Ordinal);
            Assert.DoesNotContain("localhost", text, StringComparison.Ordinal);
        }

        RpcException error = await Assert.ThrowsAsync<RpcException>(() => OrderAsync(gateway));
        Assert.Equal("IC-7026", error.Trailers.GetValue("ambrosia-code"));
        Assert.InRange(Stopwatch.GetElapsedTime(began), TimeSpan.Zero, s_atOnce);
        Assert.Equal(0, shop.Entrance.Asked);
    }

    [Fact]
    public async Task An_instance_that_does_not_encrypt_is_not_trusted_and_one_that_dies_in_a_handshake_is_waited_for()
    {
        await using GatewayUnderTest gateway = await StartEncryptedAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        await gateway.PutAsync("shop", Id, new Uri($"https://localhost:{shop.Port}"));
        (int status, string text, _) = await gateway.OrderAsync(Key);
        Assert.Equal((502, "IC-7026"), (status, CodeOf(text)));
        Assert.Equal(0, shop.Entrance.Asked);

        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        await using IngressUnderTest bank = await gateway.AddAsync("bank", certificate: await LoadAsync("bank"));
        await gateway.PutAsync("bank", Id, new Uri($"https://localhost:{((IPEndPoint)listener.LocalEndpoint).Port}"));
        Task<(int Status, string, HttpResponseMessage)> waiting = gateway.OrderAsync(instance: "bank");
        using (Socket taken = await listener.AcceptSocketAsync().OrFail())
        {
            listener.Stop();
            await gateway.PutAsync("bank", Id, bank.Address);
            await taken.ReceiveAsync(new byte[1]).OrFail(); // Its hello; what follows is reset.
        }

        Assert.Equal(204, (await waiting.OrFail()).Status);
    }

    [Fact]
    public async Task Renewed_certificates_are_used_by_the_next_connection_on_both_sides()
    {
        (string certificate, string key) = _authority.Sign("gateway", []);
        await using GatewayUnderTest gateway = await StartAsync(
            options => options with { CertFile = certificate, KeyFile = key, InstanceCaFile = _authority.File },
            authority: _authority.File);
        string first = await SeenAsync(gateway);
        Assert.Equal(first, await SeenAsync(gateway));
        _authority.Sign("gateway", []);
        Assert.NotEqual(first, await SeenAsync(gateway));

        // An instance whose certificate is mended is called from then on.
        (certificate, key) = _other.Sign("shop", []);
        await using IngressUnderTest shop = await gateway.AddAsync(
            certificate: await IngressCertificate.LoadAsync(certificate, key, TimeProvider.System, NullLogger.Instance));
        Assert.Equal(502, (await gateway.OrderAsync(Key)).Status);
        _authority.Sign("shop", []);
        Assert.Equal(204, (await gateway.OrderAsync(Key)).Status);
    }

    [Fact]
    public async Task Files_that_cannot_be_used_are_a_sentence_with_a_code_and_the_names_of_the_options_of_a_gateway()
    {
        (string certificate, _) = _authority.Sign("gateway", []);
        (_, string other) = _authority.Sign("other", []);
        foreach ((Func<GatewayOptions, GatewayOptions> change, string option) in new (Func<GatewayOptions, GatewayOptions>, string)[]
        {
            (options => options with { CertFile = certificate, KeyFile = other }, "that --cert-file and --key-file name"),
            (options => options with { CertFile = certificate, KeyFile = _folder["missing"] }, "that --cert-file and --key-file name"),
            (options => options with { InstanceCaFile = other }, "that --instance-ca-file names"),
        })
        {
            CoordinatorException refused = await Assert.ThrowsAsync<CoordinatorException>(() => StartAsync(change));
            Assert.Equal("IC-1014", refused.Code);
            Assert.Contains(option, refused.Message, StringComparison.Ordinal);
        }
    }

    private async Task<GatewayUnderTest> StartEncryptedAsync(Func<GatewayOptions, GatewayOptions>? change = null)
    {
        (string certificate, string key) = _authority.Sign("gateway", []);
        return await StartAsync(
            options => (change?.Invoke(options) ?? options) with
                { CertFile = certificate, KeyFile = key, InstanceCaFile = _authority.File },
            authority: _authority.File);
    }

    private async Task<IngressCertificate> LoadAsync(string name, Authority? authority = null)
    {
        (string certificate, string key) = (authority ?? _authority).Sign(name, []);
        return await IngressCertificate.LoadAsync(certificate, key, TimeProvider.System, NullLogger.Instance);
    }

    private async Task<CallReply> OrderAsync(GatewayUnderTest gateway)
    {
        using GrpcChannel channel = GrpcChannel.ForAddress(
            gateway.Address, new GrpcChannelOptions { HttpHandler = Handler(_authority.File), DisposeHttpClient = true });
        return await new V1.Ingress.IngressClient(channel).CallAsync(
            new CallRequest
            {
                Instance = "shop", Method = "Order", Json = """{"item":"tea"}""",
                Key = new V1.Key { Text = "order-42", Made = 1_795_439_000_000 },
            }, new Metadata { { "authorization", "Bearer one" } });
    }

    // The serial number of the certificate that a new connection sees.
    private static async Task<string> SeenAsync(GatewayUnderTest gateway)
    {
        using var socket = new TcpClient();
        await socket.ConnectAsync(IPAddress.Loopback, gateway.Port);
#pragma warning disable CA5359 // It looks at the certificate, whatever signed it.
        await using var stream = new SslStream(socket.GetStream(), leaveInnerStreamOpen: false, static (_, _, _, _) => true);
#pragma warning restore CA5359
        await stream.AuthenticateAsClientAsync(new SslClientAuthenticationOptions { TargetHost = "localhost" }).OrFail();
        return stream.RemoteCertificate!.GetSerialNumberString();
    }
}
