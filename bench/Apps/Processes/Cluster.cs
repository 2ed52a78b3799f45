using System.Text.Json;
using Ambrosia.Bench.Immortals;
using Ambrosia.Bench.Scenarios;

namespace Ambrosia.Bench.Processes;

/// <summary>The real thing: immortals by name, each an app and a coordinator, with one store and one catalog.</summary>
internal sealed class Cluster : IAsyncDisposable
{
    /// <summary>In an option for all coordinators: the name of the instance.</summary>
    public const string NameMark = "{name}";

    /// <summary>The coordinator that the build made, which compiles itself.</summary>
    public static readonly string BuiltCoordinator =
        Path.Combine(AppContext.BaseDirectory, "coordinator", "Ambrosia.ImmortalCoordinator" + (OperatingSystem.IsWindows() ? ".exe" : ""));

    private const int BatchBytes = 256 * 1024;
    private const int Overhead = 12; // Of a fork in bytes, about: size, type, method, kind, array and byte string headers.
    private const int Window = 12;

    private readonly Dictionary<string, (Child App, Child Coordinator)> _pairs = [];
    private readonly string _folder;
    private readonly string _coordinator;
    private readonly string[] _options;
    private (Child App, Child Coordinator)? _secondary;

    private Cluster(string folder, string coordinator, string[] options) =>
        (_folder, _coordinator, _options) = (folder, coordinator, options);

    /// <summary>What bench/run --published names, as a search path does; empty without.</summary>
    public static IReadOnlyList<string> NamedCoordinators { get; } =
        (Environment.GetEnvironmentVariable("AMBROSIA_COORDINATOR") ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries);

    /// <summary>App and coordinator of each, in the order of the names, a secondary last.</summary>
    public IReadOnlyList<Child> Processes => [.. Pairs.SelectMany(static pair => new[] { pair.App, pair.Coordinator })];

    /// <summary>Where the coordinator of the secondary is asked; null without one.</summary>
    public AdminAddress? Checkpointer { get; private set; }

    private IEnumerable<(Child App, Child Coordinator)> Pairs =>
        _secondary is { } secondary ? _pairs.Values.Append(secondary) : _pairs.Values;

    /// <summary>Starts all of them and waits until each takes commands.</summary>
    public static Task<Cluster> StartAsync(string folder, bool logged, IReadOnlyList<string> names, params string[] options) =>
        StartAsync(NamedCoordinators.FirstOrDefault(BuiltCoordinator), folder, logged, names, options);

    /// <summary>The same with this coordinator.</summary>
    public static async Task<Cluster> StartAsync(string coordinator, string folder, bool logged, IReadOnlyList<string> names,
        params string[] options)
    {
        Directory.CreateDirectory(folder);
        var cluster = new Cluster(folder, coordinator, logged ? options : [.. options, "--no-log"]);
        try
        {
            foreach (string name in names)
            {
                cluster._pairs[name] = cluster.Start(name);
            }

            foreach (string name in names)
            {
                await cluster.ReadyAsync(name);
            }

            return cluster;
        }
        catch (ChildFailedException)
        {
            await cluster.DisposeAsync();
            throw;
        }
    }

    public Child App(string name) => _pairs[name].App;

    public Child Coordinator(string name) => _pairs[name].Coordinator;

    /// <summary>Forks one way, to each of the targets (separated by commas); until the time is over, or to a number of messages.</summary>
    public Task<Outcome> FloodAsync(string from, string targets, int size, double seconds, long limit = 0, int window = Window) =>
        AskAsync(from, $"flood {targets} {size} {Math.Max(1, BatchBytes / (size + Overhead))} {window} {limit} {Numbers.Text(seconds)}",
            seconds);

    /// <summary>Awaited calls.</summary>
    public Task<Outcome> CallAsync(string from, string targets, int size, int outstanding, double seconds) =>
        AskAsync(from, $"call {targets} {size} {outstanding} {Numbers.Text(seconds)}", seconds);

    /// <summary>Starts an immortal as replica 0, and a second replica beside it once it takes commands; completes when that one is the
    /// checkpointer.</summary>
    public static async Task<Cluster> StartReplicatedAsync(string folder, string replicated, IReadOnlyList<string> others,
        params string[] options)
    {
        Cluster cluster = await StartAsync(folder, logged: true, others, options);
        try
        {
            cluster._pairs[replicated] = cluster.Start(replicated, 0);
            await cluster.ReadyAsync(replicated);
            cluster._secondary = cluster.Start(replicated, 1);
            cluster.Checkpointer = new AdminAddress(cluster.Admin(replicated));
            await cluster.Checkpointer.WaitForRoleAsync("checkpointer");
            return cluster;
        }
        catch (ChildFailedException)
        {
            await cluster.DisposeAsync();
            throw;
        }
    }

    /// <summary>Sends a command to an app, one that takes so many seconds by itself.</summary>
    public async Task<Outcome> AskAsync(string name, string command, double seconds = 0)
    {
        string answer = await App(name).AskAsync(command, DeskWords.Answer, seconds);
        return JsonSerializer.Deserialize<Outcome>(answer[DeskWords.Answer.Length..])!;
    }

    /// <summary>SIGKILL for both processes of an immortal.</summary>
    public async Task KillAsync(string name)
    {
        (Child app, Child coordinator) = _pairs[name];
        app.Kill();
        coordinator.Kill();
        await app.DisposeAsync();
        await coordinator.DisposeAsync();
    }

    /// <summary>Starts them again; completes when the app takes commands.</summary>
    public async Task RestartAsync(string name)
    {
        _pairs[name] = Start(name);
        await ReadyAsync(name);
    }

    /// <summary>Bytes of an immortal's log files.</summary>
    public long LogBytes(string name) =>
        Directory.EnumerateFiles(Path.Combine(_folder, "instances", name, "log")).Sum(static file => new FileInfo(file).Length);

    public async ValueTask DisposeAsync()
    {
        foreach (Child process in Processes)
        {
            process.Kill();
        }

        foreach (Child process in Processes)
        {
            await process.DisposeAsync();
        }

        Checkpointer?.Dispose();
    }

    // An app that lost its coordinator only says so; why is what the coordinator said.
    private async Task ReadyAsync(string name)
    {
        try
        {
            await App(name).ExpectAsync(DeskWords.Ready);
        }
        catch (ChildFailedException error)
        {
            throw new ChildFailedException($"{error.Message}\nIts coordinator said:\n  {Coordinator(name).LastWords}");
        }
    }

    private (Child App, Child Coordinator) Start(string name, int? replica = null) =>
        (StartApp(name, replica), StartCoordinator(name, replica));

    private Child StartApp(string name, int? replica) =>
        new($"app {name}{replica}", null, "worker", "--instance-name", name, "--binding-socket", Socket(name, replica));

    private Child StartCoordinator(string name, int? replica) => new(
        $"coordinator {name}{replica}",
        _coordinator,
        [
            "--instance-name", name, "--store", "file:" + Path.Combine(_folder, "instances"), "--catalog",
            "file:" + Path.Combine(_folder, "catalog"),
            "--binding-socket", Socket(name, replica), "--owner-pipe", .. _options.Select(option =>
                option.Replace(NameMark, name, StringComparison.Ordinal)), .. replica is { } number ? ReplicaOptions(name, number) : [],
        ]);

    private string[] ReplicaOptions(string name, int number) =>
        ["--replica-id", Numbers.Text(number), .. number > 0 ? ["--admin", "unix:" + Admin(name)] : (string[])[]];

    private string Socket(string name, int? replica) => Path.Combine(_folder, $"{name}{replica}.sock");

    private string Admin(string name) => Path.Combine(_folder, name + ".admin");
}
