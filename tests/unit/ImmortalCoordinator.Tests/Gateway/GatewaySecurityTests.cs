using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Gateway;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Files.Memory;
using Microsoft.Extensions.Logging.Abstractions;
using static Ambrosia.ImmortalCoordinator.Tests.Gateway.GatewayUnderTest;

namespace Ambrosia.ImmortalCoordinator.Tests.Gateway;

/// <summary>Who may call through a gateway, whom an instance believes, and what a hostile client gets.</summary>
public sealed class GatewaySecurityTests
{
    private const string Key = IngressUnderTest.Key;

    [Theory]
    [InlineData(null)]
    [InlineData("wrong")]
    [InlineData("three")] // Of an instance, not of the gateway.
    public async Task Who_has_no_token_learns_nothing(string? token)
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        string[] paths =
        [
            "/", "/v1/immortals/shop/Order", "/v1/immortals/nowhere/Order", "/shop/openapi.json", "/nowhere/openapi.json",
            "/shop/v1/calls/x", "/v1/immortals/shop/Order?mode=shout", "/shop/v1/awakeables/x",
        ];
        var answers = new List<(int, string)>();
        foreach (string path in paths)
        {
            foreach (HttpMethod method in new[] { HttpMethod.Get, HttpMethod.Post, HttpMethod.Put })
            {
                (int status, string text, HttpResponseMessage response) = await gateway.SendAsync(
                    method, path, method == HttpMethod.Get ? null : new string('x', 2_000_000), "no key", token);
                Assert.Equal("Bearer", response.Headers.WwwAuthenticate.ToString());
                answers.Add((status, text));
            }
        }

        Assert.Equal((401, "IC-7013"), (answers[0].Item1, CodeOf(answers[0].Item2)));
        Assert.Single(answers.Distinct());
        Assert.Equal(0, shop.Entrance.Asked);
    }

    [Fact]
    public async Task A_caller_names_nobody_else()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using IngressUnderTest shop = await gateway.AddAsync();
        Assert.Equal(401, (await gateway.OrderAsync(Key, "two", "shop", ("Ambrosia-Caller", "alice"))).Status);
        Assert.Equal(401, (await gateway.OrderAsync(Key, "two", "shop", ("Ambrosia-Methods", "all"))).Status);
        // At the instance itself, a token that is no gateway's speaks for its owner alone.
        foreach ((string name, string value) in new[] { ("Ambrosia-Caller", "alice"), ("Ambrosia-Methods", "all") })
        {
            using var client = new HttpClient();
            using var request = new HttpRequestMessage(HttpMethod.Post, new Uri(shop.Address, "/v1/immortals/shop/Order"));
            request.Content = new StringContent("""{"item":"tea"}""", Encoding.UTF8, "application/json");
            request.Headers.Add("Authorization", "Bearer three");
            request.Headers.Add(name, value);
            using HttpResponseMessage answer = await client.SendAsync(request);
            Assert.Equal(HttpStatusCode.Unauthorized, answer.StatusCode);
        }

        Assert.Empty(shop.Entrance.Admitted);
    }

    [Fact]
    public async Task Only_what_an_instance_reads_reaches_it_and_nothing_that_a_caller_claims_of_itself()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        using var raw = new RawInstance(static _ => "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nServer: x\r\nKeep-Alive: timeout=1\r\n\r\n5");
        await gateway.PutAsync("shop", Id, raw.Address);
        (int status, _, HttpResponseMessage response) = await gateway.OrderAsync(
            Key, "two", "shop", ("X-Forwarded-For", "10.9.9.9"), ("Forwarded", "for=10.9.9.9"), ("X-Real-IP", "10.9.9.9"),
            ("Connection", "Idempotency-Key"), ("Proxy-Authorization", "Basic x"), ("Cookie", "a=b"), ("TE", "trailers"),
            ("Ambrosia-Instance-Id", Id), ("Ambrosia-Gateway", "mine"),
            ("X-HTTP-Method-Override", "DELETE"));
        Assert.Equal(200, status);
        Assert.False(response.Headers.Contains("Server") || response.Headers.Contains("Keep-Alive"));
        string[] lines = raw.Requests.Single().Split("\r\n\r\n")[0].Split("\r\n");
        Assert.Equal("POST /v1/immortals/shop/Order?wait=10000ms HTTP/1.1", lines[0]);
        string[] names = [.. lines.Skip(1).Select(static line => line.Split(':')[0]).Order(StringComparer.Ordinal)];
        Assert.Equal(
            ["Ambrosia-Caller", "Ambrosia-Gateway", "Ambrosia-Instance-Id", "Ambrosia-Methods", "Authorization", "Content-Length",
                "Content-Type", "Host", "Idempotency-Key"], names);
        Assert.Contains("Ambrosia-Gateway: 1", lines);
        Assert.Contains($"Ambrosia-Instance-Id: {Id}", lines);
        Assert.Contains("Ambrosia-Caller: bob", lines);
        Assert.Contains("Ambrosia-Methods: Order", lines);
        Assert.Contains($"Idempotency-Key: {Key}", lines);
        Assert.DoesNotContain("Authorization: Bearer two", lines);
    }

    [Theory]
    [InlineData("/v1/immortals/shop/../../openapi.json")]
    [InlineData("/v1/immortals/shop%2F..%2Fbank/Order")]
    [InlineData("/v1/immortals/%2e%2e/Order")]
    [InlineData("/v1/immortals/shop/Order/more")]
    [InlineData("http://evil.example/v1/immortals/shop/Order")]
    [InlineData("/bank/v1/immortals/shop/Order")]
    [InlineData("/v1/instance")]
    public async Task A_path_leads_nowhere_but_to_what_it_names(string path)
    {
        await using GatewayUnderTest gateway = await StartAsync();
        using var raw = new RawInstance(static _ => RawInstance.Ok("5"));
        await gateway.PutAsync("shop", Id, raw.Address);
        await gateway.PutAsync("bank", Id, raw.Address);
        string answer = await TalkAsync(
            gateway.Port, $"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer one\r\nContent-Length: 0\r\n"
            + "Connection: close\r\n\r\n");
        Assert.Matches("^HTTP/1.1 (404|400)", answer);
        Assert.Empty(raw.Requests);
    }

    [Fact]
    public async Task Two_keys_are_none_and_so_is_one_that_says_no_time()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        using var dies = new RawInstance(static _ => null);
        await gateway.PutAsync("shop", Id, dies.Address);
        Assert.Equal(500, (await gateway.OrderAsync(Key, "one", "shop", ("Idempotency-Key", "\"x\";t=1795439000"))).Status);
        Assert.Equal(500, (await gateway.OrderAsync("\"order-42\"")).Status);
        Assert.Equal(2, dies.Requests.Length);
    }

    [Fact]
    public async Task Bodies_requests_and_rates_have_limits()
    {
        await using GatewayUnderTest gateway = await StartAsync(
            static options => options with { MaxBody = 100, MaxRequestsOfOne = 1, Rate = 1000 });
        await using IngressUnderTest shop = await gateway.AddAsync();
        shop.Entrance.Answer = static _ => null;
        (int status, string text, _) = await gateway.SendAsync(HttpMethod.Post, "/v1/immortals/shop/Order", new string(' ', 101), Key);
        Assert.Equal((413, "IC-7014"), (status, CodeOf(text)));
        Task<(int Status, string, HttpResponseMessage)> waiting = gateway.OrderAsync(Key);
        await Within.Until(() => shop.Entrance.Admitted.Count == 1);
        (status, text, HttpResponseMessage response) = await gateway.OrderAsync(Key);
        Assert.Equal((429, "IC-7015", "1"), (status, CodeOf(text), response.Headers.GetValues("Retry-After").Single()));
        (status, _, _) = await gateway.SendAsync(
            HttpMethod.Post, "/v1/immortals/shop/Order?mode=send", """{"item":"x"}""", Key, "two");
        Assert.Equal(202, status);
        shop.Entrance.Complete(new(Coordinator.Outside.OutsideReplyKind.Answer, 2));
        Assert.Equal(204, (await waiting).Status);
        await using GatewayUnderTest slow = await StartAsync(static options => options with { Rate = 0.01 });
        Assert.Equal(404, (await slow.OrderAsync(Key)).Status);
        (status, text, response) = await slow.OrderAsync(Key);
        Assert.Equal((429, "IC-7025"), (status, CodeOf(text)));
        Assert.InRange(int.Parse(response.Headers.GetValues("Retry-After").Single(), CultureInfo.InvariantCulture), 50, 100);
        Assert.Equal(404, (await slow.OrderAsync(Key, "two")).Status);
    }

    [Fact]
    public async Task A_body_that_is_broken_ends_its_connection_and_reaches_nobody()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        using var raw = new RawInstance(static _ => RawInstance.Ok("5"));
        await gateway.PutAsync("shop", Id, raw.Address);
        const string Head = "POST /v1/immortals/shop/Order HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer one\r\n";
        string broken = await TalkAsync(gateway.Port, Head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n");
        Assert.StartsWith("HTTP/1.1 400", broken, StringComparison.Ordinal);
        // Two sizes: what comes next could be another request.
        string two = await TalkAsync(gateway.Port, Head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x");
        Assert.StartsWith("HTTP/1.1 400", two, StringComparison.Ordinal);
        const string Both = "Transfer-Encoding: chunked\r\nContent-Length: 2\r\nConnection: close\r\n\r\n0\r\n\r\n";
        string both = await TalkAsync(gateway.Port, Head + Both);
        Assert.Matches("^(HTTP/1.1 (200|400)|$)", both);
        Assert.All(raw.Requests, static request => Assert.DoesNotContain("chunked", request, StringComparison.OrdinalIgnoreCase));
    }

    [Fact]
    public async Task A_gateway_that_an_instance_does_not_trust_is_told_apart_from_a_caller_without_a_token()
    {
        await using GatewayUnderTest gateway = await StartAsync();
        await using GatewayUnderTest other = await StartAsync();
        await using IngressUnderTest shop = await other.AddAsync();
        await gateway.PutAsync("shop", Id, shop.Address);
        (int status, string text, _) = await gateway.OrderAsync(Key);
        Assert.Equal((502, "IC-7024"), (status, CodeOf(text)));
    }

    [Fact]
    public async Task Options_that_contradict_each_other_are_refused()
    {
        var catalog = new FileCatalog(new MemoryFileSystem(), "/catalog", TimeProvider.System);
        var plain = new GatewayOptions { Listen = EndPointName.Tcp("127.0.0.1", 0) };
        foreach ((GatewayOptions options, ICatalog where, string code) in new (GatewayOptions, ICatalog, string)[]
        {
            (plain with { Listen = EndPointName.Tcp("0.0.0.0", 0) }, catalog, "IC-1007"),
            (plain with { Listen = EndPointName.Tcp("gateway.example", 0) }, catalog, "IC-1004"),
            (plain with { Tokens = "/callers" }, catalog, "IC-1004"),
            (plain with { CertFile = "/cert" }, catalog, "IC-1004"),
            (plain with { Origins = IngressOrigins.TryParse("*")! }, catalog, "IC-1004"),
            (plain with { InstanceUrl = "http://shop:8080" }, catalog, "IC-1004"),
            (plain, DnsCatalog.Open("dns:{instance}:4100"), "IC-1004"),
            (plain with { InstanceCaFile = "/nothing" }, catalog, "IC-1014"),
        })
        {
            var refused = await Assert.ThrowsAsync<CoordinatorException>(
                () => GatewayServer.StartAsync(
                    options, where, static () => 1, TimeProvider.System, NullLoggerProvider.Instance, default));
            Assert.Equal(code, refused.Code);
        }
    }

    private static async Task<string> TalkAsync(int port, string request)
    {
        using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(IPAddress.Loopback, port);
        await socket.SendAsync(Encoding.ASCII.GetBytes(request));
        var received = new StringBuilder();
        byte[] buffer = new byte[4096];
        using var late = new CancellationTokenSource(TimeSpan.FromSeconds(20));
        try
        {
            for (int count; (count = await socket.ReceiveAsync(buffer, late.Token)) > 0;)
            {
                received.Append(Encoding.ASCII.GetString(buffer, 0, count));
            }
        }
        catch (SocketException)
        {
            // The server has closed it with bytes unread.
        }

        return received.ToString();
    }
}
