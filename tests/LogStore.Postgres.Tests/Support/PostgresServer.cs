using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Npgsql;

namespace Ambrosia.LogStore.Postgres.Tests.Support;

/// <summary>A real server of its own on a free loopback port, with its data in a temporary folder. Each test takes a schema of its own in it.</summary>
public sealed class PostgresServer : IAsyncLifetime
{
    /// <summary>Of the only user; every connection must show it.</summary>
    public const string Password = "correct-horse-battery";

    private const string User = "ambrosia";
    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-postgres-").FullName;
    private readonly List<string> _lines = [];
    private int _schemas;
    private Process? _process;

    public int Port { get; } = FreePort();

    /// <summary>The server's own process.</summary>
    public int ProcessId => _process!.Id;

    public string ConnectionString => $"Host=127.0.0.1;Port={Port};Database=postgres;Username={User};Password={Password}";

    // initdb and the server refuse to be root.
    private static bool IsRoot => Environment.UserName == "root";

    private static string Programs { get; } = Directory.Exists("/usr/lib/postgresql")
        ? Directory.EnumerateDirectories("/usr/lib/postgresql").Select(static version => Path.Combine(version, "bin")).Where(static folder => File.Exists(Path.Combine(folder, "initdb"))).Order(StringComparer.Ordinal).Last()
        : "/usr/bin";

    /// <summary>URI of a store that nobody has used.</summary>
    public string NewUri(int? port = null, string user = User) => UriOf($"t{Interlocked.Increment(ref _schemas).ToString(CultureInfo.InvariantCulture)}", port, user);

    public string UriOf(string schema, int? port = null, string user = User) => string.Create(CultureInfo.InvariantCulture, $"postgres://{user}@127.0.0.1:{port ?? Port}/postgres?schema={schema}");

    public async Task InitializeAsync()
    {
        string passwords = Path.Combine(_folder, "password");
        await File.WriteAllTextAsync(passwords, Password);
        if (IsRoot)
        {
            await RunAsync("chown", "-R", "postgres", _folder);
        }

        await RunAsync(AsUser(Path.Combine(Programs, "initdb"), "-D", Data, "-U", User, "--auth=scram-sha-256", $"--pwfile={passwords}", "--no-sync", "--locale=C", "--encoding=UTF8"));
        _process = Start(AsUser(Path.Combine(Programs, "postgres"), "-D", Data, "-p", Port.ToString(CultureInfo.InvariantCulture), "-c", "listen_addresses=127.0.0.1", "-c", $"unix_socket_directories={_folder}"));
        await Ambrosia.LogStore.Tests.Support.Poll.UntilAsync(CanConnect);
    }

    public async Task DisposeAsync()
    {
        if (_process is { HasExited: false } process)
        {
            // Immediate shutdown: its children end with it.
            _ = EndToEnd.Tests.Driving.Posix.Kill(process.Id, SignalQuit);
            await process.WaitForExitAsync();
        }

        _process?.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    /// <summary>One statement as the administrator.</summary>
    public async Task<object?> ScalarAsync(string text)
    {
        await using NpgsqlDataSource source = new NpgsqlSlimDataSourceBuilder(ConnectionString + ";Pooling=false").Build();
        await using NpgsqlCommand command = source.CreateCommand(text);
        return await command.ExecuteScalarAsync();
    }

    private const int SignalQuit = 3;

    private string Data => Path.Combine(_folder, "data");

    private bool CanConnect()
    {
        Assert.False(_process!.HasExited, string.Join('\n', _lines));
        try
        {
            using NpgsqlDataSource source = new NpgsqlSlimDataSourceBuilder(ConnectionString + ";Pooling=false").Build();
            using NpgsqlConnection connection = source.OpenConnection();
            return true;
        }
        catch (NpgsqlException)
        {
            return false;
        }
    }

    private static string[] AsUser(params string[] command) => IsRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", .. command] : command;

    private async Task RunAsync(params string[] command)
    {
        using Process process = Start(command);
        await process.WaitForExitAsync();
        Assert.True(process.ExitCode == 0, string.Join('\n', _lines));
    }

    private Process Start(string[] command)
    {
        var start = new ProcessStartInfo(command[0], command[1..]) { RedirectStandardOutput = true, RedirectStandardError = true, WorkingDirectory = _folder };
        start.Environment["LC_ALL"] = "C";
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

    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
