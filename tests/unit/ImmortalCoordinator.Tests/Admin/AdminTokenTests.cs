using System.Net;
using System.Net.Sockets;
using System.Text;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Admin;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Inspection;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Admin;

/// <summary>Who is answered at an admin address on a port, which every user of the machine can reach.</summary>
public sealed class AdminTokenTests : IDisposable
{
    private const string Token = "0123456789abcdef0123456789abcdef";
    private const string Advice =
        "show what the file of --admin-token-file holds: 'Authorization: Bearer TOKEN', or /page/#token=TOKEN in a browser\n";

    private static readonly string[] s_forAnybody = ["/", "/healthz", "/metrics", "/page/", "/readyz"];
    private static readonly string?[] s_wrong =
    [
        null, "Bearer", "Bearer ", $"Bearer {Token}x", $"Bearer {Token[..^1]}", $"Basic {Token}", Token, $"Bearer {Token}, Bearer x",
    ];

    private static readonly string[] s_methods = ["GET", "HEAD", "POST", "PUT"];

    private readonly FakeStatus _status = new();
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Every_route_in_the_sources_but_those_for_anybody_is_refused_without_the_token_and_with_a_wrong_one()
    {
        await using AdminServer server = await StartAsync();
        using HttpClient client = Client(server);
        string[] routes = AdminRoutes.All;
        string[] known =
        [
            "/status", "/waiting", "/state", "/drain", "/checkpoint", "/deadletters", "/query/", "/page/api/log",
            "/page/api/waiting", "/page/api/command", .. s_forAnybody,
        ];
        Assert.Superset(known.ToHashSet(), routes.ToHashSet());
        foreach (string route in (string[])[.. routes.Except(s_forAnybody), "/deadletters/17:3/drop", "/query/Balance", "/nothing"])
        {
            foreach (string method in s_methods)
            {
                foreach (string? shown in s_wrong)
                {
                    (HttpStatusCode code, string body) = await AskAsync(client, method, route, shown);
                    Assert.True(code == HttpStatusCode.Unauthorized, $"{method} {route} with '{shown}' was answered with {code}");
                    Assert.Equal(method == "HEAD" ? "" : Advice, body);
                }
            }
        }

        Assert.Empty(_status.DrainReasons);
    }

    [Fact]
    public async Task Every_route_in_the_sources_is_answered_with_the_token()
    {
        await using AdminServer server = await StartAsync();
        using HttpClient client = Client(server);
        foreach (string route in AdminRoutes.All)
        {
            foreach (string method in s_methods)
            {
                Assert.NotEqual(HttpStatusCode.Unauthorized, (await AskAsync(client, method, route, "Bearer " + Token)).Code);
            }
        }

        Assert.Equal(HttpStatusCode.OK, (await AskAsync(client, "GET", "/status", "bearer " + Token)).Code);
        Assert.Equal(HttpStatusCode.NotFound, (await AskAsync(client, "GET", "/nothing", "Bearer " + Token)).Code);
        Assert.Single(_status.DrainReasons);
    }

    [Fact]
    public async Task Probes_metrics_and_the_pages_own_files_are_for_anybody_and_tell_nothing_of_the_log()
    {
        await using AdminServer server = await StartAsync();
        using HttpClient client = Client(server);
        foreach (string route in (string[])[.. s_forAnybody, "/page/main.js", "/page/index.html"])
        {
            (HttpStatusCode code, string body) = await AskAsync(client, "GET", route, null);
            Assert.Equal(HttpStatusCode.OK, code);
            Assert.DoesNotContain(Token, body, StringComparison.Ordinal);
        }

        Assert.Equal(HttpStatusCode.NotFound, (await AskAsync(client, "GET", "/page/nothing.js", null)).Code);
    }

    [Theory]
    [InlineData("/page/%61pi/log")]
    [InlineData("/page/x/../api/log")]
    [InlineData("/page/./api/log")]
    [InlineData("/page//api/log")]
    [InlineData("/page/API/log")]
    [InlineData("/PAGE/api/log")]
    [InlineData("/healthz/../status")]
    [InlineData("/metrics/../drain")]
    [InlineData("//status")]
    public async Task Another_spelling_of_a_path_leads_nowhere(string path)
    {
        await using AdminServer server = await StartAsync();
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(IPAddress.Loopback, server.EndPoint.Port);
        await using var stream = new NetworkStream(socket);
        string request = $"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.EndPoint.Port}\r\nConnection: close\r\n\r\n";
        await stream.WriteAsync(Encoding.ASCII.GetBytes(request));
        using var reader = new StreamReader(stream);
        Assert.Matches("^HTTP/1.1 (401|404|400) ", await reader.ReadLineAsync().OrFail());
    }

    [Fact]
    public async Task A_web_page_is_refused_before_anything_is_said_of_a_token()
    {
        await using AdminServer server = await StartAsync();
        using HttpClient client = Client(server);
        using var request = new HttpRequestMessage(HttpMethod.Get, "/status");
        request.Headers.Add("Origin", "http://evil.example");
        request.Headers.Add("Authorization", "Bearer " + Token);
        using HttpResponseMessage answer = await client.SendAsync(request);
        Assert.Equal(HttpStatusCode.Forbidden, answer.StatusCode);
    }

    [Fact]
    public async Task A_port_is_never_served_without_a_token() => await Assert.ThrowsAnyAsync<ArgumentException>(
        () => AdminServer.StartAsync(
            EndPointName.Tcp("127.0.0.1", 0), "", _status, TimeProvider.System, NullLoggerProvider.Instance, default));

    [Theory]
    [InlineData("", HttpStatusCode.OK)]
    [InlineData(Token, HttpStatusCode.Unauthorized)]
    public async Task A_Unix_socket_asks_for_a_token_only_if_it_was_told_to(string token, HttpStatusCode code)
    {
        EndPointName address = EndPointName.Unix(_folder["admin.sock"]);
        await using AdminServer server = await AdminServer.StartAsync(
            address, token, _status, TimeProvider.System, NullLoggerProvider.Instance, default);
        using var client = new HttpClient(new SocketsHttpHandler
        {
            ConnectCallback = async (_, cancellation) =>
            {
                var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
                await socket.ConnectAsync(new UnixDomainSocketEndPoint(address.Host), cancellation);
                return new NetworkStream(socket, ownsSocket: true);
            },
        }) { BaseAddress = new Uri("http://admin") };
        Assert.Equal(code, (await AskAsync(client, "GET", "/status", null)).Code);
        Assert.Equal(HttpStatusCode.OK, (await AskAsync(client, "GET", "/status", "Bearer " + Token)).Code);
    }

    private Task<AdminServer> StartAsync() => AdminServer.StartAsync(
        EndPointName.Tcp("127.0.0.1", 0),
        Token,
        _status,
        null,
        PageLogs.Of(static () => throw new IOException("the disk is on fire")),
        TimeProvider.System,
        NullLoggerProvider.Instance,
        default);

    private static HttpClient Client(AdminServer server) => new() { BaseAddress = new Uri($"http://127.0.0.1:{server.EndPoint.Port}") };

    private static async Task<(HttpStatusCode Code, string Body)> AskAsync(HttpClient client, string method, string path, string? shown)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), path);
        if (shown is not null)
        {
            request.Headers.TryAddWithoutValidation("Authorization", shown);
        }

        using HttpResponseMessage answer = await client.SendAsync(request);
        return (answer.StatusCode, await answer.Content.ReadAsStringAsync());
    }
}
