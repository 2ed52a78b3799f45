using System.Globalization;
using System.Security.Cryptography;
using Ambrosia.Services;

namespace Ambrosia.LogStore.Azure.Tests.Support;

/// <summary>
/// The emulator of Azure's storage in a process of its own, on free loopback ports, with its data in a temporary folder. It checks keys and
/// signatures as the service does. Each test takes a container or table of its own.
/// </summary>
public sealed class Azurite : IAsyncLifetime
{
    /// <summary>The only account.</summary>
    public const string Account = "ambrosiatests";

    private static readonly SemaphoreSlim s_installation = new(1);
    private static readonly TimeSpan s_installing = TimeSpan.FromMinutes(5);
    private readonly string _data = Directory.CreateTempSubdirectory("ambrosia-azurite-").FullName;
    private int _names;
    private KeptProcess? _process;

    /// <summary>Its key; every request must show it, or what was signed with it.</summary>
    public static string Key { get; } = Convert.ToBase64String(RandomNumberGenerator.GetBytes(64));

    public int BlobPort { get; } = Ports.Free();

    public int TablePort { get; } = Ports.Free();

    private static string Folder => Path.Combine(Path.GetDirectoryName(typeof(Azurite).Assembly.Location)!, "azurite");

    /// <summary>URI of a container that nobody has used.</summary>
    public string NewBlobUri(int? port = null) => BlobUri($"logs-{NextName()}", port);

    public string BlobUri(string container, int? port = null) =>
        string.Create(CultureInfo.InvariantCulture, $"azblob://127.0.0.1:{port ?? BlobPort}/{Account}/{container}?tls=off");

    /// <summary>URI of a table that nobody has used.</summary>
    public string NewTableUri(int? port = null) => TableUri($"table{NextName()}", port);

    public string TableUri(string table, int? port = null) =>
        string.Create(CultureInfo.InvariantCulture, $"aztable://127.0.0.1:{port ?? TablePort}/{Account}/{table}?tls=off");

    public async Task InitializeAsync()
    {
        await s_installation.WaitAsync();
        try
        {
            await InstallAsync();
        }
        finally
        {
            s_installation.Release();
        }

        await StartAsync();
    }

    /// <summary>Starts the emulator, on the data that it left.</summary>
    public async Task StartAsync()
    {
        string[] command =
        [
            "node", Path.Combine(Folder, "node_modules/azurite/dist/src/azurite.js"), "--silent", "--disableTelemetry",
            "--skipApiVersionCheck", "--location", _data,
            "--blobHost", "127.0.0.1", "--blobPort", Print(BlobPort), "--tableHost", "127.0.0.1", "--tablePort", Print(TablePort),
            "--queueHost", "127.0.0.1", "--queuePort", Print(Ports.Free()),
        ];
        _process = KeptProcess.Start(Folder, command, ("AZURITE_ACCOUNTS", $"{Account}:{Key}"));
        await Ambrosia.LogStore.Tests.Support.Poll.UntilAsync(() => AnswersAt(BlobPort) && AnswersAt(TablePort));
    }

    public async Task DisposeAsync()
    {
        await KillAsync();
        Directory.Delete(_data, recursive: true);
    }

    /// <summary>Kills it: what it has not written is lost.</summary>
    public async Task KillAsync()
    {
        if (_process?.Process is { HasExited: false } process)
        {
            process.Kill();
            await process.WaitForExitAsync();
        }

        _process?.Dispose();
        _process = null;
    }

    /// <summary>Ends it as a person does, so that it writes what it has. Its data is copied then; the result puts the copy back in their
    /// place.</summary>
    public async Task<Func<Task>> StopAndCopyAsync()
    {
        _ = EndToEnd.Tests.Driving.Posix.Kill(_process!.Process.Id, SignalInterrupt);
        await _process.Process.WaitForExitAsync();
        await KillAsync();
        string copy = _data + ".copy";
        await KeptProcess.RunAsync(s_installing, Folder, ["cp", "-a", _data, copy]);
        return async () =>
        {
            Directory.Delete(_data, recursive: true);
            await KeptProcess.RunAsync(s_installing, Folder, ["mv", copy, _data]);
        };
    }

    private const int SignalInterrupt = 2;

    private bool AnswersAt(int port)
    {
        _process!.RequireRunning();
        return Ports.Answers(port);
    }

    private string NextName() => Print(Interlocked.Increment(ref _names));

    private static string Print(int number) => number.ToString(CultureInfo.InvariantCulture);

    /// <summary>Installs exactly what the lock file names, unless it lies there already.</summary>
    private async Task InstallAsync()
    {
        string wanted = await File.ReadAllTextAsync(Path.Combine(Folder, "package-lock.json"));
        string mark = Path.Combine(Folder, "installed");
        if (File.Exists(mark) && await File.ReadAllTextAsync(mark) == wanted)
        {
            return;
        }

        FileStream? mine = null;
        await Ambrosia.LogStore.Tests.Support.Poll.UntilAsync(() => (mine = TryLock()) is not null);
        await using FileStream locked = mine!;
        if (File.Exists(mark) && await File.ReadAllTextAsync(mark) == wanted)
        {
            return; // Another process was faster.
        }

        await KeptProcess.RunAsync(s_installing, Folder, ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]);
        await File.WriteAllTextAsync(mark, wanted);
    }

    /// <summary>Null while another process installs.</summary>
    private static FileStream? TryLock()
    {
        try
        {
            return new FileStream(Path.Combine(Folder, "installing"), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        }
        catch (IOException)
        {
            return null;
        }
    }
}
