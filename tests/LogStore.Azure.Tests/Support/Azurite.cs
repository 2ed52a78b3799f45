using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;

namespace Ambrosia.LogStore.Azure.Tests.Support;

/// <summary>
/// The emulator of Azure's storage in a process of its own, on free loopback ports, with its data in a temporary folder. It checks keys and signatures as the service does. Each test takes a
/// container or table of its own.
/// </summary>
public sealed class Azurite : IAsyncLifetime
{
    /// <summary>The only account.</summary>
    public const string Account = "ambrosiatests";

    private static readonly TimeSpan s_installing = TimeSpan.FromMinutes(5);
    private readonly string _data = Directory.CreateTempSubdirectory("ambrosia-azurite-").FullName;
    private readonly List<string> _lines = [];
    private int _names;
    private Process? _process;

    /// <summary>Its key; every request must show it, or what was signed with it.</summary>
    public static string Key { get; } = Convert.ToBase64String(RandomNumberGenerator.GetBytes(64));

    public int BlobPort { get; } = FreePort();

    public int TablePort { get; } = FreePort();

    private static string Folder => Path.Combine(AppContext.BaseDirectory, "azurite");

    /// <summary>URI of a container that nobody has used.</summary>
    public string NewBlobUri(int? port = null) => BlobUri($"logs-{NextName()}", port);

    public string BlobUri(string container, int? port = null) => string.Create(CultureInfo.InvariantCulture, $"azblob://127.0.0.1:{port ?? BlobPort}/{Account}/{container}?tls=off");

    /// <summary>URI of a table that nobody has used.</summary>
    public string NewTableUri(int? port = null) => TableUri($"table{NextName()}", port);

    public string TableUri(string table, int? port = null) => string.Create(CultureInfo.InvariantCulture, $"aztable://127.0.0.1:{port ?? TablePort}/{Account}/{table}?tls=off");

    public async Task InitializeAsync()
    {
        await InstallAsync();
        _process = Start("node", Path.Combine(Folder, "node_modules/azurite/dist/src/azurite.js"), "--silent", "--disableTelemetry", "--skipApiVersionCheck", "--location", _data,
            "--blobHost", "127.0.0.1", "--blobPort", Print(BlobPort), "--tableHost", "127.0.0.1", "--tablePort", Print(TablePort), "--queueHost", "127.0.0.1", "--queuePort", Print(FreePort()));
        await Ambrosia.LogStore.Tests.Support.Poll.UntilAsync(() => Answers(BlobPort) && Answers(TablePort));
    }

    public async Task DisposeAsync()
    {
        if (_process is { HasExited: false } process)
        {
            process.Kill();
            await process.WaitForExitAsync();
        }

        _process?.Dispose();
        Directory.Delete(_data, recursive: true);
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

        using Process npm = Start("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts");
        await npm.WaitForExitAsync().WaitAsync(s_installing);
        Assert.True(npm.ExitCode == 0, Said());
        await File.WriteAllTextAsync(mark, wanted);
    }

    private bool Answers(int port)
    {
        Assert.False(_process!.HasExited, Said());
        using var client = new TcpClient();
        try
        {
            client.Connect(IPAddress.Loopback, port);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    private Process Start(params string[] command)
    {
        var start = new ProcessStartInfo(command[0], command[1..]) { RedirectStandardOutput = true, RedirectStandardError = true, WorkingDirectory = Folder };
        start.Environment["AZURITE_ACCOUNTS"] = $"{Account}:{Key}";
        Process process = Process.Start(start)!;
        process.OutputDataReceived += (_, line) => Keep(line.Data);
        process.ErrorDataReceived += (_, line) => Keep(line.Data);
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        return process;
    }

    private void Keep(string? line)
    {
        lock (_lines)
        {
            _lines.Add(line ?? "");
        }
    }

    private string Said()
    {
        lock (_lines)
        {
            return string.Join('\n', _lines);
        }
    }

    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
