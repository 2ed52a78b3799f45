using Npgsql;

namespace Ambrosia.LogStore.Postgres;

/// <summary>
/// Hears when a lease is given back (LISTEN). A pooler between us and the server may swallow the news, and a holder that dies tells
/// nobody: so nobody waits for it longer than a second before looking for himself.
/// </summary>
internal sealed class LeaseNews(PostgresDatabase database, TimeProvider time) : IAsyncDisposable
{
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(1);
    private NpgsqlConnection? _connection;

    /// <summary>Where it is told.</summary>
    public static string Channel(string schema) => $"{schema}_lease";

    /// <summary>Waits until a lease was given back, but not longer than this one may still run.</summary>
    public async ValueTask WaitAsync(TimeSpan left, CancellationToken cancellationToken)
    {
        TimeSpan longest = TimeSpan.FromMilliseconds(Math.Clamp(left.TotalMilliseconds, 10, s_longest.TotalMilliseconds));
        try
        {
            _connection ??= await ListenAsync(cancellationToken);
            await _connection.WaitAsync(longest, cancellationToken);
        }
        catch (Exception error) when (PostgresDatabase.IsPassing(error)
            || (error is InvalidOperationException && _connection is { } connection && PostgresDatabase.IsBroken(connection)))
        {
            await DisposeAsync();
            database.LeaveReaders(error);
            await Task.Delay(longest, time, cancellationToken);
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_connection is { } connection)
        {
            _connection = null;
            await connection.DisposeAsync();
        }
    }

    private async ValueTask<NpgsqlConnection> ListenAsync(CancellationToken cancellationToken)
    {
        NpgsqlConnection connection = await database.ConnectAsync(cancellationToken);
        await using var listen = new NpgsqlCommand($"listen {Channel(database.Schema)}", connection);
        await listen.ExecuteNonQueryAsync(cancellationToken);
        return connection;
    }
}
