using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;
using Ambrosia.Tests.Common;
using Ambrosia.V1;
using Grpc.Net.Client;
using Microsoft.Extensions.Logging.Abstractions;
using static Ambrosia.ImmortalCoordinator.Tests.Ingress.IngressUnderTest;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>An address for calls from outside with a certificate, asked over real sockets.</summary>
public sealed class IngressTlsTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly Authority _authority;
    private readonly LogLines _lines = new();

    public IngressTlsTests() => _authority = new Authority(_folder.Path, "ca");

    public void Dispose()
    {
        _authority.Dispose();
        _folder.Dispose();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Calls_come_in_encrypted_over_both_versions_of_HTTP(int version)
    {
        await using IngressUnderTest ingress = await StartAsync(certificate: await LoadAsync("shop"));
        using HttpClient client = Client();
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri(ingress.Address, "/v1/immortals/shop/Close"))
        {
            Version = new Version(version, version == 1 ? 1 : 0), VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = new StringContent("[]", Encoding.UTF8, "application/json"),
        };
        using HttpResponseMessage answer = await client.SendAsync(request);
        // It was understood: Close is no impulse.
        Assert.Equal((HttpStatusCode.NotFound, version), (answer.StatusCode, answer.Version.Major));
        using HttpResponseMessage page = await client.GetAsync(new Uri(ingress.Address, "/"));
        Assert.Equal(HttpStatusCode.OK, page.StatusCode);
    }

    [Fact]
    public async Task Calls_come_in_encrypted_over_gRPC()
    {
        await using IngressUnderTest ingress = await StartAsync(certificate: await LoadAsync("shop"));
        // The text 12.50.
        ingress.Entrance.Answer = static _ =>
            new OutsideReply(OutsideReplyKind.Answer, (byte)RpcForm.Value, Convert.FromHexString("a531322e3530"));
        using GrpcChannel channel = GrpcChannel.ForAddress(ingress.Address, new GrpcChannelOptions { HttpHandler = Handler() });
        CallReply reply = await new V1.Ingress.IngressClient(channel).CallAsync(
            new CallRequest { Instance = "shop", Method = "Order", Json = """{"item":"tea"}""" });
        Assert.Equal("\"12.50\"", reply.Json);
    }

    [Fact] // The try-it page sends the origin that its address has.
    public async Task A_page_of_this_address_may_call_and_one_of_another_scheme_may_not()
    {
        await using IngressUnderTest ingress = await StartAsync(certificate: await LoadAsync("shop"));
        using HttpClient client = Client();
        Assert.Equal(HttpStatusCode.OK, await AskFromAsync($"https://localhost:{ingress.Port}"));
        Assert.Equal(HttpStatusCode.Unauthorized, await AskFromAsync($"http://localhost:{ingress.Port}"));

        async Task<HttpStatusCode> AskFromAsync(string origin)
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, new Uri(ingress.Address, "/openapi.json"));
            request.Headers.Add("Origin", origin);
            using HttpResponseMessage answer = await client.SendAsync(request);
            return answer.StatusCode;
        }
    }

    [Fact]
    public async Task A_renewed_certificate_is_used_by_the_next_connection_and_files_that_do_not_fit_together_change_nothing()
    {
        (string certificate, string key) = _authority.Sign("shop", []);
        await using IngressUnderTest ingress =
            await StartAsync(certificate: await IngressCertificate.LoadAsync(certificate, key, TimeProvider.System, _lines));
        string first = await SeenAsync(ingress);
        Assert.Equal(first, await SeenAsync(ingress));
        string old = await File.ReadAllTextAsync(key);
        _authority.Sign("shop", []);
        string renewed = await File.ReadAllTextAsync(key);
        await File.WriteAllTextAsync(key, old);
        Assert.Equal(first, await SeenAsync(ingress));
        Assert.Equal(first, await SeenAsync(ingress));
        Assert.Single(_lines.All, static line =>
            line.Contains("IC-4019 the certificate for callers from outside", StringComparison.Ordinal));
        await File.WriteAllTextAsync(key, renewed);
        Assert.NotEqual(first, await SeenAsync(ingress));
        Assert.Equal(2, _lines.All.Count(static line =>
            line.Contains("Callers from outside see the certificate of CN=shop", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Who_speaks_plainly_is_told_so_who_speaks_an_old_TLS_or_nothing_gets_nothing_and_others_are_served_on()
    {
        IngressLimits limits = IngressLimits.Product with { Head = TimeSpan.FromSeconds(1) };
        await using IngressUnderTest ingress = await StartAsync(limits, certificate: await LoadAsync("shop"));
        string told = Encoding.ASCII.GetString(await PlainlyAsync(ingress, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        Assert.StartsWith("HTTP/1.1 400 Bad Request\r\n", told, StringComparison.Ordinal);
        Assert.Contains("\"IC-7029\"", told, StringComparison.Ordinal);
        Assert.Empty(await PlainlyAsync(ingress, "get / HTTP/1.1\r\n\r\n"));
        Assert.Empty(await PlainlyAsync(ingress, ""));
#pragma warning disable SYSLIB0039, CA5397 // What the test is about.
        await Assert.ThrowsAnyAsync<Exception>(() => SeenAsync(ingress, SslProtocols.Tls11));
#pragma warning restore SYSLIB0039, CA5397
        Assert.NotEmpty(await SeenAsync(ingress));
    }

    [Fact]
    public async Task Files_that_cannot_be_used_are_a_sentence_with_a_code()
    {
        (string certificate, string key) = _authority.Sign("shop", []);
        (_, string other) = _authority.Sign("other", []);
        foreach ((string file, string keyFile) in ((string, string)[])[(certificate, other),
            (certificate, Path.Combine(_folder.Path, "missing")), (key, key), (_folder.Path, key)])
        {
            CoordinatorException refused = await Assert.ThrowsAsync<CoordinatorException>(
                async () => await IngressCertificate.LoadAsync(file, keyFile, TimeProvider.System, NullLogger.Instance));
            Assert.Equal("IC-1014", refused.Code);
            Assert.Contains("the certificate for callers from outside cannot be used", refused.Message, StringComparison.Ordinal);
            Assert.Contains("--ingress-cert-file", refused.Message, StringComparison.Ordinal);
        }
    }

    private async Task<IngressCertificate> LoadAsync(string name)
    {
        (string certificate, string key) = _authority.Sign(name, []);
        return await IngressCertificate.LoadAsync(certificate, key, TimeProvider.System, NullLogger.Instance);
    }

    private HttpClient Client() => new(Handler(), disposeHandler: true);

    private SocketsHttpHandler Handler()
    {
        var policy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
        policy.CustomTrustStore.ImportFromPemFile(_authority.File);
        return new SocketsHttpHandler { SslOptions = new SslClientAuthenticationOptions { CertificateChainPolicy = policy } };
    }

    // The serial number of the certificate that a new connection sees.
    private static async Task<string> SeenAsync(IngressUnderTest ingress, SslProtocols protocols = SslProtocols.None)
    {
        using var socket = new TcpClient();
        await socket.ConnectAsync(IPAddress.Loopback, ingress.Port);
#pragma warning disable CA5359 // It looks at the certificate, whatever signed it.
        await using var stream = new SslStream(socket.GetStream(), leaveInnerStreamOpen: false, static (_, _, _, _) => true);
#pragma warning restore CA5359
        await stream.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
            { TargetHost = "localhost", EnabledSslProtocols = protocols }).OrFail();
        return stream.RemoteCertificate!.GetSerialNumberString();
    }

    private static async Task<byte[]> PlainlyAsync(IngressUnderTest ingress, string text)
    {
        using var socket = new TcpClient();
        await socket.ConnectAsync(IPAddress.Loopback, ingress.Port);
        await socket.GetStream().WriteAsync(Encoding.ASCII.GetBytes(text));
        var received = new MemoryStream();
        try
        {
            await socket.GetStream().CopyToAsync(received).OrFail();
        }
        catch (IOException)
        {
            // It was reset.
        }

        return received.ToArray();
    }
}
