using System.Buffers;
using System.Net;
using System.Net.Http.Headers;
using Ambrosia.Coordinator;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Serving;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Memory;
using Ambrosia.CoordinatorHost;
using Ambrosia.CoordinatorHost.Admin;
using Ambrosia.CoordinatorHost.Metrics;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Poison;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Inspection;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Admin;

/// <summary>Every route of the admin address in every role and phase of an instance: each request is answered, and none of them ends
/// it.</summary>
public sealed class AdminPhaseTests
{
    private const string Token = "0123456789abcdef0123456789abcdef";

    private readonly HeldDisk _disk = new();

    [Fact]
    public async Task While_it_waits_for_its_log()
    {
        await using CoreUnderTest other = await CoreUnderTest.StartAsync(log: _disk.Environment);
        await using CoreUnderTest core = CoreUnderTest.Begin(log: _disk.Environment);
        await Within.Until(() =>
            core.Core.Status?.Snapshot().NotReadyReason.StartsWith("the instance is held by ", StringComparison.Ordinal) == true);
        CoordinatorStatus told = core.Core.Status!.Snapshot();
        Assert.Equal(("bank", "starting", "default"), (told.Instance, told.Role, told.Cluster));
        Assert.Equal(other.Core.Status!.Snapshot().Version, told.Version);
        await RainAsync(core, "starting, the instance is held by ");
    }

    [Fact]
    public async Task While_it_reads_its_log()
    {
        await MakeAsync();
        TaskCompletionSource held = _disk.HoldCheckpoints();
        await using CoreUnderTest core = CoreUnderTest.Begin(log: _disk.Environment);
        await Within.Until(() => core.Core.Status?.Snapshot().NotReadyReason == "it reads its log");
        await RainAsync(core, "starting, it reads its log", () =>
        {
            held.SetResult();
            return Task.CompletedTask;
        });
    }

    [Fact]
    public async Task Before_its_first_start()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await RainAsync(core, "first start, no app is attached");
    }

    [Fact]
    public async Task While_its_first_app_makes_the_first_checkpoint()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.AttachFirstAsync();
        await RainAsync(core, app: app);
    }

    [Fact]
    public async Task After_a_recovery_that_has_no_app_yet()
    {
        await MakeAsync();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: _disk.Environment);
        await RainAsync(core, "recovering, no app is attached");
    }

    [Fact]
    public async Task While_its_app_replays()
    {
        await MakeAsync();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: _disk.Environment);
        await using ScriptedApp app = await PoisonedApp.ComeBackAsync(core);
        await RainAsync(core, app: app);
    }

    [Fact]
    public async Task While_it_serves()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await Within.Until(() => core.Status.Snapshot().Ready);
        await RainAsync(core, app: app);
    }

    [Fact]
    public async Task When_its_app_is_gone()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using (ScriptedApp app = await core.ConnectAppAsync())
        {
            await app.BecomePrimaryAsync();
        }

        await Within.Until(() => core.Status.Snapshot() is { Role: "waiting for the app", App.Attached: false });
        await RainAsync(core, "waiting for the app, no app is attached");
    }

    [Fact]
    public async Task On_hold()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(processes: new AppProcesses());
        RecordInfo record = await PoisonedApp.LiveAndDieAsync(core, 5);
        for (int i = 0; core.Status.Snapshot().App.OnHold.Length == 0; i++)
        {
            Assert.InRange(i, 0, 3);
            await PoisonedApp.DieAgainAsync(core, record.Lsn, 0);
            await Within.Until(() => core.Status.Snapshot().Role == "waiting for the app");
        }

        await RainAsync(core, "waiting for the app, IC-1036 ");
    }

    [Fact]
    public async Task While_another_app_converts_the_state()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp old = await core.ConnectAppAsync();
        await old.BecomePrimaryAsync();
        await old.HearAsync(BindingMessageType.Rpc);
        await old.ReportAsync(1, 1, complete: true);
        await using ScriptedApp next = await core.ConnectAppAsync();
        BindingHello hello = ScriptedApp.Hello with { Features = BindingFeatures.Upgrades | BindingFeatures.TakesOver };
        await next.SayAsync(BindingMessageType.Hello, hello.Write);
        await next.HearAsync(BindingMessageType.Checkpoint);
        await next.SayAsync(BindingMessageType.StateVersion, new StateVersion("v1", "v2").Write);
        await next.HearAsync(BindingMessageType.Rpc);
        await next.ReportAsync(1, 1, complete: true);
        await next.HearAsync(BindingMessageType.UpgradeTakeCheckpoint);
        await RainAsync(core, app: old, end: () => next.DisposeAsync().AsTask());
    }

    [Fact]
    public async Task As_a_replica_that_waits_for_the_instance_to_exist()
    {
        await using CoreUnderTest primary = await CoreUnderTest.StartAsync(log: _disk.Environment, change: Replica(0));
        await using CoreUnderTest core = CoreUnderTest.Begin(log: _disk.Environment, change: Replica(1));
        await Within.Until(() => core.Core.Status?.Snapshot().NotReadyReason == "it waits for the right to append to its log");
        await RainAsync(core, "starting, it waits for the right to append to its log");
    }

    [Fact]
    public async Task As_a_secondary_without_an_app()
    {
        await using CoreUnderTest primary = await CoreUnderTest.StartAsync(log: _disk.Environment, change: Replica(0));
        await using ScriptedApp app = await primary.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await using CoreUnderTest checkpointer = await CoreUnderTest.StartAsync(log: _disk.Environment, change: Replica(1));
        await Within.Until(() => checkpointer.Status.Snapshot().Role == "checkpointer");
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: _disk.Environment, change: Replica(2));
        await RainAsync(core, "secondary, no app is attached");
        await RainAsync(checkpointer, "checkpointer, no app is attached");
    }

    [Fact]
    public async Task As_the_checkpointer()
    {
        await using CoreUnderTest primary = await CoreUnderTest.StartAsync(log: _disk.Environment, change: Replica(0));
        await using ScriptedApp app = await primary.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: _disk.Environment, change: Replica(1));
        await using ScriptedApp second = await PoisonedApp.ComeBackAsync(core, ScriptedApp.Hello);
        await Within.Until(() => core.Status.Snapshot() is { Role: "checkpointer", App.Attached: true });
        await RainAsync(core, app: second);
    }

    [Fact]
    public async Task While_it_drains_and_after_it_has_ended()
    {
        await using CoreUnderTest core =
            await CoreUnderTest.StartAsync(change: static options => options.DrainTimeout = TimeSpan.FromHours(1));
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync(); // And leaves its first record unfinished.
        await app.HearRecordAsync();
        core.Status.RequestDrain("a test");
        await Within.Until(() => core.Status.Snapshot().Role == "draining");
        CoordinatorStatus told = core.Status.Snapshot();
        Assert.Equal((true, false, "it stops"), (told.App.Attached, told.Ready, told.NotReadyReason));
        await RainAsync(core, app: app);
        await RainAsync(core, "bank has stopped");
    }

    [Fact]
    public async Task Before_it_runs()
    {
        var options = new CoordinatorOptions { InstanceName = "bank", Store = "memory:" };
        var environment = new CoreEnvironment
        {
            Log = _disk.Environment,
            Token = "",
            Transport = new MemoryNetwork(new MemoryNetworkOptions()).Node("bank"),
            Catalog = LogStore.Stores.Catalogs.Open("memory:catalog", _disk.Environment),
            Random = static () => 0.5,
            Logger = new LogLines(),
        };
        await using AdminServer server = await StartAsync(new ServedCore(options, environment));
        using HttpClient client = Client(server);
        Require503("starting", await Task.WhenAll(AdminRoutes.Requests().Select(request => client.AskAsync(request.Method, request.Path)))
            .OrFail());
        Assert.Equal(HttpStatusCode.ServiceUnavailable, (await client.AskAsync("POST", "/drain")).Code);
        await environment.Catalog.DisposeAsync();
    }

    [Fact]
    public async Task What_goes_wrong_with_a_request_is_a_500_with_a_code_and_a_line_in_the_log()
    {
        var status = new FakeStatus { Query = static (_, _) => throw new KeyNotFoundException("planted") };
        using var lines = new KeptLog();
        await using AdminServer server =
            await AdminServer.StartAsync(EndPointName.Tcp("127.0.0.1", 0), Token, status, TimeProvider.System, lines, default);
        using HttpClient client = Client(server);
        AdminAnswer answer = await client.AskAsync("GET", "/query/X");
        Assert.Equal(HttpStatusCode.InternalServerError, answer.Code);
        Assert.Equal("IC-1091 the request failed: KeyNotFoundException | GET /query/X | the instance goes on | see its log, and "
            + "report this\n", answer.Body);
        Assert.Contains(lines.Lines.All, static line =>
            line.StartsWith("1203 IC-1091 GET /query/X could not be answered", StringComparison.Ordinal));
        Assert.Equal(HttpStatusCode.OK, (await client.AskAsync("GET", "/status")).Code);
    }

    private static Action<CoordinatorOptions> Replica(int number) => options => options.ReplicaId = number;

    // An instance that has its first checkpoint, and stops.
    private async Task MakeAsync()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: _disk.Environment);
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await Within.Until(() => core.Status.Snapshot().Ready);
    }

    /// <summary>Asks for everything at once, then lets the instance drain: it must end in order, and everybody must have been answered by
    /// then.</summary>
    private async Task RainAsync(CoreUnderTest core, string? phase = null, Func<Task>? end = null, ScriptedApp? app = null)
    {
        using var metrics = new CoordinatorMetrics("bank", core.Status);
        await using AdminServer server = await StartAsync(core.Status);
        using HttpClient client = Client(server);
        List<Task<AdminAnswer>> asked = [.. AdminRoutes.Requests().Select(request => client.AskAsync(request.Method, request.Path))];
        if (phase is not null)
        {
            Require503(phase, await Task.WhenAll(asked).OrFail());
        }

        Assert.False(core.Running.IsFaulted, core.Running.Exception?.ToString());
        Assert.Equal(HttpStatusCode.Accepted, (await client.AskAsync("POST", "/drain").OrFail()).Code);
        await (end?.Invoke() ?? Task.CompletedTask);
        await (app?.DisposeAsync() ?? default);
        await core.Running.OrFail();
        foreach (AdminAnswer answer in await Task.WhenAll(asked).OrFail())
        {
            Assert.True(answer.Code < HttpStatusCode.InternalServerError
                || answer.Code is HttpStatusCode.ServiceUnavailable or HttpStatusCode.GatewayTimeout, answer.ToString());
            Assert.True(answer.Method == "HEAD" || answer.Body.Length > 0, answer.ToString());
        }
    }

    // Whatever only the app knows, or only a primary can do.
    private static void Require503(string phase, AdminAnswer[] answers)
    {
        foreach ((string method, string path) in ((string, string)[])[("GET", "/state"), ("GET", "/query/X?wait=1m"),
            ("POST", "/checkpoint")])
        {
            AdminAnswer answer = answers.Single(answer => answer.Method == method && answer.Path == path);
            Assert.True(answer.Code == HttpStatusCode.ServiceUnavailable, answer.ToString());
            Assert.StartsWith("IC-1044 ", answer.Body, StringComparison.Ordinal);
            Assert.Contains(phase, answer.Body, StringComparison.Ordinal);
        }

        Assert.DoesNotContain(answers, static answer => answer.Code == HttpStatusCode.InternalServerError);
        Assert.Equal(HttpStatusCode.OK, answers.Single(static answer => answer is { Method: "GET", Path: "/status" }).Code);
    }

    private Task<AdminServer> StartAsync(ICoordinatorStatus status)
    {
        var logs = PageLogs.Of(async () => new PageLog(
            await LogView.OpenAsync("memory:", "bank", new LogStoreOptions { Cluster = "default" }, _disk.Environment),
            new PageLogOptions { Limit = ReadLimit.Durable, Time = TimeProvider.System }));
        return AdminServer.StartAsync(EndPointName.Tcp("127.0.0.1", 0), Token, status, null, logs, TimeProvider.System,
            NullLoggerProvider.Instance, default);
    }

    private static HttpClient Client(AdminServer server) => new(new SocketsHttpHandler { MaxConnectionsPerServer = 48 })
    {
        BaseAddress = new Uri($"http://127.0.0.1:{server.EndPoint.Port}"),
        DefaultRequestHeaders = { Authorization = new AuthenticationHeaderValue("Bearer", Token) },
    };
}
