using System.Globalization;
using Ambrosia.Services;
using Npgsql;

namespace Ambrosia.LogStore.Postgres.Tests.Support;

/// <summary>A real server of its own on a free loopback port, with its data in a temporary folder. Each test takes a schema of its own in
/// it.</summary>
public sealed class PostgresServer : IAsyncLifetime
{
    /// <summary>Of the only user; every connection must show it.</summary>
    public const string Password = "correct-horse-battery";

    private const string User = "ambrosia";
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);
    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-postgres-").FullName;
    private int _schemas;
    private KeptProcess? _process;

    public int Port { get; } = Ports.Free();

    /// <summary>The server's own process.</summary>
    public int ProcessId => _process!.Process.Id;

    public string ConnectionString => $"Host=127.0.0.1;Port={Port};Database=postgres;Username={User};Password={Password}";

    // initdb and the server refuse to be root.
    private static bool IsRoot => Environment.UserName == "root";

    private static string Programs { get; } = Directory.Exists("/usr/lib/postgresql")
        ? Directory.EnumerateDirectories("/usr/lib/postgresql").Select(static version => Path.Combine(version, "bin"))
        .Where(static folder => File.Exists(Path.Combine(folder, "initdb"))).Order(StringComparer.Ordinal).Last()
        : "/usr/bin";

    /// <summary>URI of a store that nobody has used.</summary>
    public string NewUri(int? port = null, string user = User) =>
        UriOf($"t{Interlocked.Increment(ref _schemas).ToString(CultureInfo.InvariantCulture)}", port, user);

    public string UriOf(string schema, int? port = null, string user = User) =>
        string.Create(CultureInfo.InvariantCulture, $"postgres://{user}@127.0.0.1:{port ?? Port}/postgres?schema={schema}");

    public async Task InitializeAsync()
    {
        string passwords = Path.Combine(_folder, "password");
        await File.WriteAllTextAsync(passwords, Password);
        if (IsRoot)
        {
            await RunAsync("chown", "-R", "postgres", _folder);
        }

        await RunAsync(AsUser(Path.Combine(Programs, "initdb"), "-D", Data, "-U", User, "--auth=scram-sha-256", $"--pwfile={passwords}",
            "--no-sync", "--locale=C", "--encoding=UTF8"));
        await StartAsync();
    }

    /// <summary>Starts the server, on the data that it left.</summary>
    public async Task StartAsync()
    {
        _process = KeptProcess.Start(_folder,
            AsUser(Path.Combine(Programs, "postgres"), "-D", Data, "-p", Port.ToString(CultureInfo.InvariantCulture), "-c",
                "listen_addresses=127.0.0.1", "-c", $"unix_socket_directories={_folder}"), ("LC_ALL", "C"));
        await Ambrosia.LogStore.Tests.Support.Poll.UntilAsync(CanConnect);
    }

    public async Task DisposeAsync()
    {
        await StopAsync();
        Directory.Delete(_folder, recursive: true);
    }

    /// <summary>Ends it at once, as a crash of its machine would that spares its disk.</summary>
    public async Task StopAsync()
    {
        if (_process?.Process is { HasExited: false } process)
        {
            // Immediate shutdown: its children end with it.
            _ = EndToEnd.Tests.Driving.Posix.Kill(process.Id, SignalQuit);
            await process.WaitForExitAsync();
        }

        _process?.Dispose();
        _process = null;
    }

    /// <summary>Stops it and copies its data; the result puts the copy back in their place.</summary>
    public async Task<Func<Task>> StopAndCopyAsync()
    {
        await StopAsync();
        await RunAsync("cp", "-a", Data, Data + ".copy");
        return async () =>
        {
            await RunAsync("rm", "-r", Data);
            await RunAsync("mv", Data + ".copy", Data);
        };
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
        _process!.RequireRunning();
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

    private static string[] AsUser(params string[] command) =>
        IsRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", .. command] : command;

    private Task RunAsync(params string[] command) => KeptProcess.RunAsync(s_patience, _folder, command, ("LC_ALL", "C"));
}
