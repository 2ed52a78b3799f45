using System.Text.Json;
using Ambrosia.Cli.Output;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;

namespace Ambrosia.Cli.Tests;

/// <summary>The command in this process, with a store and a catalog of its own.</summary>
public sealed class CommandFixture : IDisposable
{
    private static readonly LogStoreOptions s_options = new() { Cluster = "default" };
    private static readonly string[] s_idle = ["debug", "retest", "verify"];
    private readonly string _home = Directory.CreateTempSubdirectory("ambrosia-cli-").FullName;

    public string Store => "file:" + Path.Combine(_home, "instances");

    /// <summary>What <c>AMBROSIA_HOME</c> and <c>XDG_RUNTIME_DIR</c> are for it.</summary>
    public string Home => _home;

    public string FolderOf(string instance) => Path.Combine(_home, "instances", instance);

    /// <summary>Makes an instance that is stopped: a log with its first segment, and a catalog entry.</summary>
    public async Task MakeInstanceAsync(string name, string ingress = "")
    {
        await using WriteAheadLog log = await LogStores.OpenLogAsync(Store, name, s_options, new LogStoreEnvironment());
        await using ILogLease lease = (await log.TryAcquireAsync())!;
        WriterStart start = await log.BecomeWriterAsync(lease);
        await using ICatalog catalog = Catalogs.Open("file:" + Path.Combine(_home, "catalog"), new LogStoreEnvironment());
        await catalog.PutAsync(new CatalogEntry { Instance = name, PeerAddress = "127.0.0.1:4100", Epoch = start.Epoch.Value,
            InstanceId = log.InstanceId.ToString(), Generation = 1, IngressAddress = ingress }, null);
    }

    /// <summary>Takes the lock of an instance, as its coordinator does.</summary>
    public async Task<IAsyncDisposable> LockAsync(string name)
    {
        ILogStorage storage = LogStores.Open(Store, name, s_options, new LogStoreEnvironment());
        return (await storage.AcquireLeaseAsync(wait: false, CancellationToken.None))!;
    }

    /// <summary>Runs one command line; <paramref name="typed"/> is what a person at the terminal types, null for none.</summary>
    internal Task<(int Code, string Output, string Error)> RunAsync(string line, string? typed = null) =>
        RunAsync(line.Split(' ', StringSplitOptions.RemoveEmptyEntries), typed);

    /// <summary>The same with words that hold spaces; <paramref name="piped"/> is what another program writes to it.</summary>
    internal async Task<(int Code, string Output, string Error)> RunAsync(string[] words, string? typed = null, string? piped = null)
    {
        // Idle priority would be that of all tests of this process from then on, and of every process that they start.
        Assert.False(s_idle.Contains(words.FirstOrDefault()) && !words.Contains("--normal-priority")
            && !words.Contains("--help"), "Run it at normal priority: " + string.Join(' ', words));
        using var output = new StringWriter();
        using var error = new StringWriter();
        using var input = new StringReader(typed ?? piped ?? "");
        var terminal = new Terminal(output, error, input, isTerminal: typed is not null);
        var command = new AmbrosiaCommand(terminal, name =>
            name == "AMBROSIA_HOME" || name == "XDG_RUNTIME_DIR" ? _home : null, TimeProvider.System);
        int code = await command.RunAsync(words);
        return (code, output.ToString(), error.ToString());
    }

    internal async Task<JsonElement> JsonAsync(string line)
    {
        (int code, string output, string error) = await RunAsync(line + " --json");
        Assert.True(code == 0, error);
        return JsonDocument.Parse(output).RootElement;
    }

    public void Dispose() => Directory.Delete(_home, recursive: true);
}
