using System.Diagnostics.Metrics;
using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using System.Text.Json;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Admin;
using Ambrosia.CoordinatorHost.Metrics;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Inspection;
using Ambrosia.Primitives;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Admin;

public sealed class AdminServerTests : IDisposable
{
    private const string Token = "0123456789abcdef0123456789abcdef";

    private readonly FakeStatus _status = new();
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Health_answers_while_the_process_lives_and_readiness_only_while_it_serves()
    {
        await using AdminServer server = await StartAsync();
        using HttpClient client = Client(server);
        Assert.Equal((HttpStatusCode.OK, "ready: primary\n"), await GetAsync(client, "/readyz"));
        _status.Current = _status.Current with { Ready = false, NotReadyReason = "no app is attached" };
        Assert.Equal((HttpStatusCode.OK, "ok\n"), await GetAsync(client, "/healthz"));
        Assert.Equal((HttpStatusCode.ServiceUnavailable, "not ready: no app is attached\n"), await GetAsync(client, "/readyz"));
    }

    [Fact]
    public async Task Status_is_JSON_with_stable_names()
    {
        _status.Current = _status.Current with
        {
            Epoch = ulong.MaxValue,
            Log = new LogStatus { DurableLsn = 17 },
            Outputs = [new OutputStatus { Peer = "shop", BufferedBytes = 5, LastError = "refused" }],
        };
        await using AdminServer server = await StartAsync();
        using HttpClient client = Client(server);
        using JsonDocument body = JsonDocument.Parse((await GetAsync(client, "/status")).Body);
        Assert.Equal("bank", body.RootElement.GetProperty("instance").GetString());
        Assert.Equal(ulong.MaxValue, body.RootElement.GetProperty("epoch").GetUInt64());
        Assert.Equal(17UL, body.RootElement.GetProperty("log").GetProperty("durableLsn").GetUInt64());
        Assert.Equal(5, body.RootElement.GetProperty("outputs")[0].GetProperty("bufferedBytes").GetInt64());
    }

    [Fact]
    public async Task Metrics_are_Prometheus_text_of_the_current_status()
    {
        _status.Current = _status.Current with { Instance = "metrics-test", Totals = new TotalsStatus
            { MessagesLogged = 12 }, Outputs = [new OutputStatus { Peer = "sh\"op", SpilledBytes = 7 }] };
        using var metrics = new CoordinatorMetrics("metrics-test", _status);
        await using AdminServer server = await StartAsync();
        using HttpClient client = Client(server);
        using var other = new Meter("Ambrosia.Test");
        other.CreateHistogram<double>("ambrosia.recovery.duration", "s")
            .Record(0.3, new KeyValuePair<string, object?>("ambrosia.instance", "metrics-test"));
        string text = (await GetAsync(client, "/metrics")).Body;
        Assert.Contains("# TYPE ambrosia_messages_logged_total counter\n", text, StringComparison.Ordinal);
        Assert.Contains("ambrosia_messages_logged_total{ambrosia_instance=\"metrics-test\"} 12\n", text, StringComparison.Ordinal);
        Assert.Contains("ambrosia_output_spilled_bytes{ambrosia_instance=\"metrics-test\",peer=\"sh\\\"op\"} 7\n", text,
            StringComparison.Ordinal);
        Assert.Contains("# TYPE ambrosia_recovery_duration_seconds histogram\n", text, StringComparison.Ordinal);
        Assert.Contains("ambrosia_recovery_duration_seconds_bucket{ambrosia_instance=\"metrics-test\",le=\"0.25\"} 0\n", text,
            StringComparison.Ordinal);
        Assert.Contains("ambrosia_recovery_duration_seconds_bucket{ambrosia_instance=\"metrics-test\",le=\"0.5\"} 1\n", text,
            StringComparison.Ordinal);
        Assert.Contains("ambrosia_recovery_duration_seconds_count{ambrosia_instance=\"metrics-test\"} 1\n", text, StringComparison.Ordinal);
        _status.Current = _status.Current with { Totals = new TotalsStatus { MessagesLogged = 13 }, Outputs = [] };
        text = (await GetAsync(client, "/metrics")).Body;
        Assert.Contains("ambrosia_messages_logged_total{ambrosia_instance=\"metrics-test\"} 13\n", text, StringComparison.Ordinal);
        Assert.DoesNotContain("sh\\\"op", text, StringComparison.Ordinal); // A destination that is gone does not linger.
    }

    [Fact]
    public async Task A_metric_of_two_instances_in_one_process_has_one_header_and_two_series()
    {
        using var first = new CoordinatorMetrics("twin-1", _status);
        using var second = new CoordinatorMetrics("twin-2", _status);
        await using AdminServer server = await StartAsync();
        using HttpClient client = Client(server);
        string[] lines = (await GetAsync(client, "/metrics")).Body.Split('\n');
        Assert.Single(lines, "# TYPE ambrosia_ready gauge");
        Assert.Contains("ambrosia_ready{ambrosia_instance=\"twin-1\"} 1", lines);
        Assert.Contains("ambrosia_ready{ambrosia_instance=\"twin-2\"} 1", lines);
    }

    [Fact]
    public async Task A_checkpoint_is_answered_when_it_is_durable_and_a_refusal_with_its_reason()
    {
        var durable = new TaskCompletionSource<ulong>(TaskCreationOptions.RunContinuationsAsynchronously);
        _status.Checkpoint = () => durable.Task;
        await using AdminServer server = await StartAsync();
        using HttpClient client = Client(server);
        Task<(HttpStatusCode, string)> answer = PostAsync(client, "/checkpoint");
        Assert.False(answer.IsCompleted);
        durable.SetResult(17);
        Assert.Equal((HttpStatusCode.OK, "checkpoint at 17\n"), await answer);
        _status.Checkpoint = () => throw new InvalidOperationException("no app is attached");
        Assert.Equal((HttpStatusCode.Conflict, "no checkpoint: no app is attached\n"), await PostAsync(client, "/checkpoint"));
        _status.Checkpoint = () => throw new IOException("disk full");
        Assert.Equal((HttpStatusCode.InsufficientStorage, "no checkpoint: disk full\n"), await PostAsync(client, "/checkpoint"));
    }

    [Fact]
    public async Task Drain_passes_the_request_on()
    {
        await using AdminServer server = await StartAsync();
        using HttpClient client = Client(server);
        Assert.Equal(HttpStatusCode.Accepted, (await PostAsync(client, "/drain")).Code);
        Assert.Single(_status.DrainReasons);
    }

    [Fact]
    public async Task What_changes_something_cannot_be_asked_with_GET_nor_by_a_web_page()
    {
        await using AdminServer server = await StartAsync();
        using HttpClient client = Client(server);
        Assert.Equal(HttpStatusCode.MethodNotAllowed, (await GetAsync(client, "/drain")).Code);
        Assert.Equal(HttpStatusCode.NotFound, (await GetAsync(client, "/")).Code);
        using var fromPage = new HttpRequestMessage(HttpMethod.Post, "/drain");
        fromPage.Headers.Add("Origin", "http://evil.example");
        using HttpResponseMessage refused = await client.SendAsync(fromPage);
        Assert.Equal(HttpStatusCode.Forbidden, refused.StatusCode);
        using var rebound = new HttpRequestMessage(HttpMethod.Post, "/drain");
        rebound.Headers.Host = "evil.example";
        using HttpResponseMessage refusedToo = await client.SendAsync(rebound);
        Assert.Equal(HttpStatusCode.Forbidden, refusedToo.StatusCode);
        Assert.Empty(_status.DrainReasons);
    }

    [Fact]
    public async Task The_page_is_served_for_looking_only_and_what_its_log_cannot_tell_is_an_answer()
    {
        var logs = PageLogs.Of(static () => throw new IOException("the disk is on fire"));
        await using AdminServer server = await AdminServer.StartAsync(EndPointName.Tcp("127.0.0.1", 0), Token, _status, null, logs,
            TimeProvider.System, NullLoggerProvider.Instance, default);
        using HttpClient client = Client(server);
        (HttpStatusCode code, string body) = await GetAsync(client, "/");
        Assert.Equal(HttpStatusCode.OK, code); // By way of a redirection to /page/.
        Assert.Contains("<script type=\"module\" src=\"main.js\">", body, StringComparison.Ordinal);
        Assert.Equal((HttpStatusCode.Conflict, "the disk is on fire\n"), await GetAsync(client, "/page/api/log"));
        Assert.Contains("\"instance\": \"bank\"", (await GetAsync(client, "/page/api/status")).Body, StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.OK, (await GetAsync(client, "/page/api/metrics")).Code);
        using HttpResponseMessage step = await client.PostAsync("/page/api/command?line=step", null);
        Assert.Equal(HttpStatusCode.Conflict, step.StatusCode);
        using HttpResponseMessage change = await client.PostAsync("/page/api/log", null);
        Assert.Equal(HttpStatusCode.MethodNotAllowed, change.StatusCode);
    }

    [Fact]
    public async Task A_Unix_socket_serves_too_is_private_and_comes_back_after_a_crash()
    {
        EndPointName address = EndPointName.Unix(_folder["admin.sock"]);
        using (var dead = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified))
        {
            dead.Bind(new UnixDomainSocketEndPoint(_folder["other"]));
            File.Move(_folder["other"], address.Host); // What a killed process leaves behind.
        }

        await using AdminServer server =
            await AdminServer.StartAsync(address, "", _status, TimeProvider.System, NullLoggerProvider.Instance, default);
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(address.Host));
        using var client = new HttpClient(new SocketsHttpHandler
        {
            ConnectCallback = async (_, cancellation) =>
            {
                var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
                await socket.ConnectAsync(new UnixDomainSocketEndPoint(address.Host), cancellation);
                return new NetworkStream(socket, ownsSocket: true);
            },
        }) { BaseAddress = new Uri("http://admin") };
        Assert.Equal((HttpStatusCode.OK, "ok\n"), await GetAsync(client, "/healthz"));
    }

    [Fact]
    public async Task A_port_in_use_is_a_sentence_with_a_code()
    {
        await using AdminServer server = await StartAsync();
        var error = await Assert.ThrowsAsync<CoordinatorException>(() =>
            AdminServer.StartAsync(server.EndPoint, Token, _status, TimeProvider.System, NullLoggerProvider.Instance, default));
        Assert.Equal("IC-1012", error.Code);
    }

    private Task<AdminServer> StartAsync() =>
        AdminServer.StartAsync(EndPointName.Tcp("127.0.0.1", 0), Token, _status, TimeProvider.System, NullLoggerProvider.Instance, default);

    private static HttpClient Client(AdminServer server) => new()
    {
        BaseAddress = new Uri($"http://127.0.0.1:{server.EndPoint.Port}"),
        DefaultRequestHeaders = { Authorization = new AuthenticationHeaderValue("Bearer", Token) },
    };

    private static async Task<(HttpStatusCode Code, string Body)> GetAsync(HttpClient client, string path)
    {
        using HttpResponseMessage response = await client.GetAsync(new Uri(path, UriKind.Relative));
        return (response.StatusCode, await response.Content.ReadAsStringAsync());
    }

    private static async Task<(HttpStatusCode Code, string Body)> PostAsync(HttpClient client, string path)
    {
        using HttpResponseMessage response = await client.PostAsync(new Uri(path, UriKind.Relative), null);
        return (response.StatusCode, await response.Content.ReadAsStringAsync());
    }
}
