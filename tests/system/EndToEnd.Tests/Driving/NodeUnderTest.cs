using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using EndToEnd;

namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>One node: its two processes, its sockets, and what to start them with.</summary>
internal sealed class NodeUnderTest(Sandbox sandbox, string name, Layout layout, NodeSettings settings)
{
    /// <summary>Exit code of an app that another one has replaced.</summary>
    public const int AppReplaced = 76;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);
    private Child? _successor;

    public string Name => name;

    public Layout Layout => layout;

    /// <summary>True if its coordinator is a process that the test starts.</summary>
    public bool HasCoordinator => layout is Layout.Sidecar or Layout.Tied;

    public Child? Coordinator { get; private set; }

    public Child? App { get; private set; }

    /// <summary>What the app's next start is told to be; see NodeV2.</summary>
    public string Version { get; set; } = "1";

    /// <summary>What the app is told to be that replays the log afterwards.</summary>
    public string ReplayVersion { get; init; } = "1";

    public string GatePath { get; } = Path.Combine(sandbox.Folder, name + (settings.SharesGate ? "" : settings.Place) + ".gate");

    public string AdminPath { get; } = Path.Combine(sandbox.Folder, Own(name, settings) + ".admin");

    /// <summary>Number of this replica; null when it is the only one. Replicas share the gate: the one that acts for the node opens
    /// it.</summary>
    public int? Replica => settings.Replica;

    /// <summary>Where its log and its checkpoints lie.</summary>
    public string LogFolder => Path.Combine(Store["file:".Length..], name);

    /// <summary>True if its log lies in a service, which may be too slow to renew its lease.</summary>
    public bool LeasesItsLog => !Store.StartsWith("file:", StringComparison.Ordinal);

    private string Store => settings.Store ?? sandbox.Store;

    private string Catalog => settings.Catalog ?? sandbox.Catalog;

    private string SocketPath { get; } = Path.Combine(sandbox.Folder, Own(name, settings) + ".sock");

    private string[] CoordinatorArguments => [.. settings.CoordinatorArguments, "--admin", "unix:" + AdminPath, .. settings.Replica is
        { } number ? new[] { "--replica-id", $"{number}" } : []];

    private static string Own(string name, NodeSettings settings) =>
        settings.Replica is { } number ? $"{name}.{number}" : name + settings.Place;

    public Child StartCoordinator(string failpoint = "", params string[] more) =>
        StartCoordinator([("AMBROSIA_FAILPOINT", failpoint)], more);

    /// <summary>Starts it with more environment than the settings say.</summary>
    public Child StartCoordinator((string Name, string Value)[] environment, params string[] more)
    {
        if (!HasCoordinator)
        {
            throw new InvalidOperationException($"{name} starts its coordinator itself.");
        }

        string[] arguments =
        [
            "--instance-name", name, "--store", Store, "--catalog", Catalog, "--binding-socket", SocketPath, "--owner-pipe",
            .. CoordinatorArguments, .. more,
        ];
        return Coordinator =
            Launch(".coordinator", Executables.Coordinator, arguments, [.. environment, .. settings.CoordinatorEnvironment]);
    }

    public Child StartApp(string failpoint = "")
    {
        string[] arguments = layout == Layout.InProcess ? [] : layout == Layout.Embedded
            ? ["--store", Store, "--catalog", Catalog, "--coordinator", Executables.Coordinator, "--coordinator-arguments",
                string.Join(' ', CoordinatorArguments)]
            : ["--binding-socket", SocketPath, "--on-coordinator-exit", layout == Layout.Sidecar ? "wait" : "stop"];
        return App = Launch(
            ".app", Executables.App, ["--instance-name", name, .. arguments],
            [("E2E_GATE", GatePath), ("E2E_VERSION", Version), ("AMBROSIA_FAILPOINT", failpoint), ("AMBROSIA_STORE", Store),
                ("AMBROSIA_CATALOG", Catalog),
            ("E2E_IN_PROCESS", layout == Layout.InProcess ? string.Join(' ', CoordinatorArguments) : "")]);
    }

    /// <summary>Starts an app beside the one that runs, to take its place.</summary>
    public Child StartSuccessor(string version, string onCoordinatorExit, string failpoint = "") => _successor = Launch(
        ".successor", Executables.App,
        ["--instance-name", name, "--binding-socket", SocketPath, "--upgrade", "true", "--on-coordinator-exit", onCoordinatorExit],
        [("E2E_GATE", GatePath), ("E2E_VERSION", version), ("AMBROSIA_FAILPOINT", failpoint)]);

    /// <summary>Whether this app has left for a successor that lives, adopted or not: the supervisor starts no other one.</summary>
    public bool IsReplaced(Child app) => _successor is { HasExited: false } successor && app != successor && app.ExitCode == AppReplaced;

    /// <summary>The successor is the app from now on.</summary>
    public void Adopt(Child successor) => App = successor;

    /// <summary>Starts whatever does not run.</summary>
    public void Start()
    {
        if (HasCoordinator && Coordinator is null or { HasExited: true })
        {
            StartCoordinator();
        }

        if (App is null or { HasExited: true })
        {
            StartApp();
        }
    }

    /// <summary>SIGKILL to one side; false if it was not running.</summary>
    public async Task<bool> KillAsync(Side side)
    {
        if (side == Side.App)
        {
            return App is { } app && await app.KillAsync();
        }

        if (HasCoordinator)
        {
            return Coordinator is { } coordinator && await coordinator.KillAsync();
        }

        bool killed = layout == Layout.Embedded && App is
            { HasExited: false } owner && owner.Children() is [var embedded, ..] && Posix.Kill(embedded, Posix.SignalKill) == 0;
        if (killed)
        {
            Report.CountKill();
        }

        return killed;
    }

    /// <summary>Connects to the gate as soon as somebody acts for the node.</summary>
    public async Task<GateClient> ConnectAsync()
    {
        GateClient? client = null;
        await Wait.UntilAsync($"{name} opens its gate", async () =>
            (client = await GateClient.TryConnectAsync(GatePath)) is not null, s_patience);
        return client!;
    }

    /// <summary>Asks until an answer comes; for requests that may be asked twice.</summary>
    public async Task<string> AskAsync(string request, TimeSpan? patience = null)
    {
        var watch = Stopwatch.StartNew();
        TimeSpan limit = patience ?? s_patience;
        while (true)
        {
            using GateClient? client = await GateClient.TryConnectAsync(GatePath);
            try
            {
                if (client is not null)
                {
                    return await client.AskAsync(request).WaitAsync(limit - watch.Elapsed is { Ticks: > 0 } left ? left : TimeSpan.Zero);
                }
            }
            catch (GateClosedException)
            {
                // It died meanwhile, or does not act yet.
            }

            if (watch.Elapsed > limit)
            {
                throw new TimeoutException($"{name} did not answer '{request}' within {limit.TotalSeconds:0} s: "
                    + $"its coordinator {StateOf(Coordinator)}; its app {StateOf(App)}");
            }

            await Task.Delay(5);
        }
    }

    public async Task<NodeReport> ReportAsync() => JsonSerializer.Deserialize<NodeReport>(await AskAsync("report"))!;

    /// <summary>Resident bytes of app and coordinator.</summary>
    public (long App, long Coordinator) Memory()
    {
        long coordinator = layout == Layout.Embedded ? App?.Children().Sum(ProcessMemory.Resident) ?? 0 : Coordinator?.ResidentBytes() ?? 0;
        return (App?.ResidentBytes() ?? 0, coordinator);
    }

    /// <summary>Bytes of all its log files.</summary>
    public long LogBytes()
    {
        string folder = Path.Combine(LogFolder, "log");
        return Directory.Exists(folder) ? new DirectoryInfo(folder).EnumerateFiles().Sum(static file => file.Length) : 0;
    }

    // A process that ended for a reason of its own says it last.
    private static string StateOf(Child? child) => child is null ? "was not started"
        : $"{(child.HasExited ? $"ended with {child.ExitCode}" : "runs")}, last lines: "
            + string.Join(" | ", child.Output.Split('\n').TakeLast(4));

    private Child Launch(string part, string executable, string[] arguments, (string Name, string Value)[] environment)
    {
        sandbox.Has(this);
        environment = [.. environment, .. settings.Environment];
        return settings.Launcher is [var launcher, .. var before]
            ? Child.Start(sandbox, Own(name, settings) + part, launcher, [.. before, executable, .. arguments], environment)
            : Child.Start(sandbox, Own(name, settings) + part, executable, arguments, environment);
    }

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Own(name, settings)} ({layout})");
}
