using System.Net;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Admin;
using Ambrosia.CoordinatorHost.Metrics;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Admin;

public sealed class HealthServerTests
{
    private readonly FakeStatus _status = new();

    [Fact]
    public async Task Probes_and_metrics_are_answered_under_any_name_of_the_host()
    {
        await using HealthServer server = await StartAsync();
        using var client = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{server.EndPoint.Port}") };
        client.DefaultRequestHeaders.Host = "bank-0.example:4180";
        Assert.Equal((HttpStatusCode.OK, "ok\n"), await GetAsync(client, "/healthz"));
        Assert.Equal((HttpStatusCode.OK, "ready: primary\n"), await GetAsync(client, "/readyz"));
        _status.Current = _status.Current with { Instance = "health-test", Ready = false, NotReadyReason = "the app replays its log" };
        using var metrics = new CoordinatorMetrics("health-test", _status);
        Assert.Equal((HttpStatusCode.OK, "ok\n"), await GetAsync(client, "/healthz"));
        Assert.Equal((HttpStatusCode.ServiceUnavailable, "not ready: the app replays its log\n"), await GetAsync(client, "/readyz"));
        Assert.Contains("ambrosia_ready{ambrosia_instance=\"health-test\"} 0\n", (await GetAsync(client, "/metrics")).Body,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("GET", "/status", HttpStatusCode.NotFound)]
    [InlineData("GET", "/state", HttpStatusCode.NotFound)]
    [InlineData("GET", "/", HttpStatusCode.NotFound)]
    [InlineData("GET", "/page/", HttpStatusCode.NotFound)]
    [InlineData("GET", "/deadletters", HttpStatusCode.NotFound)]
    [InlineData("POST", "/drain", HttpStatusCode.NotFound)]
    [InlineData("POST", "/checkpoint", HttpStatusCode.NotFound)]
    [InlineData("POST", "/readyz", HttpStatusCode.MethodNotAllowed)]
    public async Task What_tells_or_changes_more_is_not_there(string method, string path, HttpStatusCode expected)
    {
        await using HealthServer server = await StartAsync();
        using var client = new HttpClient();
        using var request = new HttpRequestMessage(new HttpMethod(method), new Uri($"http://127.0.0.1:{server.EndPoint.Port}{path}"));
        using HttpResponseMessage answer = await client.SendAsync(request);
        Assert.Equal(expected, answer.StatusCode);
        Assert.Empty(_status.DrainReasons);
    }

    [Fact]
    public async Task A_port_in_use_names_the_option()
    {
        await using HealthServer server = await StartAsync();
        var error = await Assert.ThrowsAsync<CoordinatorException>(() =>
            HealthServer.StartAsync(server.EndPoint, _status, null, TimeProvider.System, NullLoggerProvider.Instance, default));
        Assert.Equal("IC-1012", error.Code);
        Assert.Contains("--health", error.Message, StringComparison.Ordinal);
    }

    private Task<HealthServer> StartAsync() =>
        HealthServer.StartAsync(EndPointName.Tcp("127.0.0.1", 0), _status, null, TimeProvider.System, NullLoggerProvider.Instance, default);

    private static async Task<(HttpStatusCode Code, string Body)> GetAsync(HttpClient client, string path)
    {
        using HttpResponseMessage answer = await client.GetAsync(new Uri(path, UriKind.Relative));
        return (answer.StatusCode, await answer.Content.ReadAsStringAsync());
    }
}
