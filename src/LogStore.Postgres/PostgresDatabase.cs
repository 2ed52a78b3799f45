using System.Data;
using System.Globalization;
using System.Net.Sockets;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Leases;
using Ambrosia.LogStore.Stores;
using Npgsql;

namespace Ambrosia.LogStore.Postgres;

/// <summary>Connections to one database, and what its failures mean here.</summary>
internal sealed class PostgresDatabase : IAsyncDisposable
{
    // In use are a few. A renewal that is not answered keeps its connection, and the next one must find room: about a dozen of them fit
    // into a lease.
    private const int MaxConnections = 32;

    private readonly NpgsqlDataSource _source;
    private readonly TimeSpan _patience;
    private readonly LogStoreEnvironment _environment;
    private readonly string _limits;
    private readonly string _setLimits;
    private readonly TimeSpan _late;

    /// <summary>Nothing is connected yet.</summary>
    /// <param name="address">Where it is.</param>
    /// <param name="secret">Its password.</param>
    /// <param name="lease">Time of a lease, or <see cref="ServiceRetry.CatalogTime"/>. A call that gets no answer is tried again for twice
    /// as long: a holder ends for the lease, not for the call.</param>
    /// <param name="environment">Clock and log.</param>
    public PostgresDatabase(PostgresAddress address, StoreSecret secret, TimeSpan lease, LogStoreEnvironment environment)
    {
        (Address, Secret, _patience, _environment) = (address, secret, 2 * lease, environment);
        // The server's own limits count also when we are stopped, or cut off, and cannot ask it to give up.
        string half = ((long)(lease / 2).TotalMilliseconds).ToString(CultureInfo.InvariantCulture);
        _limits = $"set local idle_in_transaction_session_timeout = {half}; set local statement_timeout = {half}; set local "
            + $"lock_timeout = {half}";
        _setLimits = $"""
            select set_config('statement_timeout', '{half}', true), set_config('lock_timeout', '{half}', true),
            set_config('synchronous_commit', 'local', true)
            """;
        NpgsqlConnectionStringBuilder connection = address.ToConnectionString();
        connection.ApplicationName = "ambrosia";
        connection.MaxPoolSize = MaxConnections;
        connection.Timeout = Seconds(lease / 3);
        connection.CommandTimeout = Seconds(lease / 2);
        // A little less than after what Npgsql asks the server to give up: its timer need not agree with our clock.
        _late = TimeSpan.FromSeconds(connection.CommandTimeout * 0.9);
        connection.CancellationTimeout = 500;
        connection.KeepAlive = Seconds(lease / 3);
        // Nothing that we do changes a connection, so nothing needs to be undone; a pooler between us and the server could not undo it
        // either.
        connection.NoResetOnClose = true;
        var builder = new NpgsqlSlimDataSourceBuilder(connection.ConnectionString);
        builder.EnableTransportSecurity();
        builder.UsePasswordProvider(_ => secret.Read("PGPASSWORD") ?? "", (_, _) => new ValueTask<string>(secret.Read("PGPASSWORD") ?? ""));
        _source = builder.Build();
    }

    public PostgresAddress Address { get; }

    public StoreSecret Secret { get; }

    public string Schema => Address.Schema;

    public NpgsqlCommand Command(string text, params object[] values) => Fill(_source.CreateCommand(text), values);

    /// <summary>One statement; the number of rows that it changed.</summary>
    public ValueTask<int> ExecuteAsync(string text, params object[] values) => TryAsync(async () =>
    {
        await using NpgsqlCommand command = Command(text, values);
        long asked = _environment.Time.GetTimestamp();
        int changed = await command.ExecuteNonQueryAsync();
        RequireInTime(asked);
        return changed;
    });

    /// <summary>
    /// The same, asked once, within the server's limits, and without waiting for a synchronous standby. Both statements go in one exchange,
    /// and are one transaction. With
    /// <paramref name="isRepeated"/> over a new connection.
    /// </summary>
    public ValueTask<int> ExecuteOnceAsync(string text, object[] values, bool isRepeated, CancellationToken cancellationToken)
    {
        if (isRepeated)
        {
            _source.Clear();
        }

        return TryWithinAsync(async () =>
        {
            await using NpgsqlConnection connection = await _source.OpenConnectionAsync(cancellationToken);
            await using var batch = new NpgsqlBatch(connection);
            batch.BatchCommands.Add(new NpgsqlBatchCommand(_setLimits));
            var change = new NpgsqlBatchCommand(text);
            Fill(change.Parameters, values);
            batch.BatchCommands.Add(change);
            await batch.ExecuteNonQueryAsync(cancellationToken);
            return change.RecordsAffected;
        }, TimeSpan.Zero, cancellationToken);
    }

    /// <summary>One value; null when there is no row.</summary>
    public ValueTask<object?> ScalarAsync(string text, params object[] values) => TryAsync(async () =>
    {
        await using NpgsqlCommand command = Command(text, values);
        return await command.ExecuteScalarAsync();
    });

    /// <summary>All rows, each read at once.</summary>
    public ValueTask<List<T>> QueryAsync<T>(Func<NpgsqlDataReader, T> read, string text, params object[] values) => TryAsync(async () =>
    {
        await using NpgsqlCommand command = Command(text, values);
        await using NpgsqlDataReader reader = await command.ExecuteReaderAsync();
        var rows = new List<T>();
        while (await reader.ReadAsync())
        {
            rows.Add(read(reader));
        }

        return rows;
    });

    /// <summary>
    /// Statements that happen all together or not at all, in one exchange; the first column of the last one's first row, if any. Each
    /// statement sees what others committed before it.
    /// </summary>
    public ValueTask<object?> TogetherAsync(params (string Text, object[] Values)[] statements) => TransactAsync(async connection =>
    {
        object? last = null;
        foreach ((string text, object[] values) in statements)
        {
            await using NpgsqlCommand command = Fill(new NpgsqlCommand(text, connection), values);
            last = await command.ExecuteScalarAsync();
        }

        return last;
    });

    /// <summary>
    /// A transaction that the server ends by itself when nothing comes for half the time of a lease: a process that was stopped in the
    /// middle of one would hold its rows for ever, and keep their successor. Should that process go on, it makes the transaction again.
    /// </summary>
    public ValueTask<T> TransactAsync<T>(Func<NpgsqlConnection, ValueTask<T>> call) => TryAsync(async () =>
    {
        await using NpgsqlConnection connection = await _source.OpenConnectionAsync();
        try
        {
            await using NpgsqlTransaction transaction = await connection.BeginTransactionAsync();
            await using var limit = new NpgsqlCommand(_limits, connection);
            await limit.ExecuteNonQueryAsync();
            T result = await call(connection);
            long asked = _environment.Time.GetTimestamp();
            await transaction.CommitAsync();
            RequireInTime(asked);
            return result;
        }
        catch (InvalidOperationException error) when (IsBroken(connection))
        {
            throw new TimeoutException("the connection ended within a transaction", error);
        }
    });

    /// <summary>Tries again while the server does not answer. Only for what may be done twice.</summary>
    private ValueTask<T> TryAsync<T>(Func<ValueTask<T>> call) => TryWithinAsync(call, _patience, CancellationToken.None);

    private async ValueTask<T> TryWithinAsync<T>(Func<ValueTask<T>> call, TimeSpan patience, CancellationToken cancellationToken)
    {
        var retry = new ServiceRetry(_environment, Address.Location, patience);
        while (true)
        {
            try
            {
                return await call();
            }
            catch (NpgsqlException error) when (error.InnerException is LogStoreException known)
            {
                throw known; // Such as: the secret could not be read.
            }
            catch (Exception error) when (IsPassing(error))
            {
                LeaveReaders(error);
                cancellationToken.ThrowIfCancellationRequested();
                await retry.PauseAsync(error, cancellationToken);
            }
            catch (PostgresException error)
            {
                throw Refused(error);
            }
            catch (NpgsqlException error)
            {
                throw Refused(error);
            }
        }
    }

    public async ValueTask<NpgsqlConnection> ConnectAsync(CancellationToken cancellationToken = default) =>
        await _source.OpenConnectionAsync(cancellationToken);

    /// <summary>
    /// Whether a connection has ended while nobody used it: what is asked of it then is refused without a word of the server's.
    /// </summary>
    public static bool IsBroken(NpgsqlConnection connection) => connection.State != ConnectionState.Open;

    /// <summary>
    /// After a switch-over our connections may lead to a server that only reads by now: the next ones are made anew, and may find the one
    /// that writes.
    /// </summary>
    public void LeaveReaders(Exception error)
    {
        if (error is PostgresException { SqlState: PostgresErrorCodes.ReadOnlySqlTransaction })
        {
            _source.Clear();
        }
    }

    public ValueTask DisposeAsync() => _source.DisposeAsync();

    /// <summary>Whether the same call may succeed a little later: the connection or the server, not what was asked.</summary>
    internal static bool IsPassing(Exception error) => error switch
    {
        // 08 connection, 40 serialization and deadlock, 53 resources, 57P restart and shutdown, 57014 time-out, 55P03 lock not available,
        // 25006 a server that only reads, as after a switch-over, 25P03 a transaction in which nothing came for too long: we ask for that
        // one ourselves.
        PostgresException known => known.SqlState is ['0', '8', ..] or ['4', '0', ..] or ['5', '3', ..] or ['5', '7', 'P', ..] or "57014"
            or "55P03" or "25006" or "25P03",
        NpgsqlException unknown => unknown.IsTransient || unknown.InnerException is IOException or SocketException or TimeoutException,
        _ => error is TimeoutException or SocketException,
    };

    public static NpgsqlCommand Fill(NpgsqlCommand command, object[] values)
    {
        Fill(command.Parameters, values);
        return command;
    }

    private static void Fill(NpgsqlParameterCollection parameters, object[] values)
    {
        foreach (object value in values)
        {
            parameters.Add(value switch
            {
                string text => new NpgsqlParameter<string> { TypedValue = text },
                long number => new NpgsqlParameter<long> { TypedValue = number },
                int number => new NpgsqlParameter<int> { TypedValue = number },
                double number => new NpgsqlParameter<double> { TypedValue = number },
                ReadOnlyMemory<byte> bytes => new NpgsqlParameter<ReadOnlyMemory<byte>> { TypedValue = bytes },
                _ => throw new ArgumentException($"A parameter of type {value.GetType()}."),
            });
        }
    }

    /// <summary>
    /// A server that waits for a synchronous standby and is asked to give up says that the commit succeeded, though the standby does not
    /// have it. So what was committed too late counts as not answered, and is asked again.
    /// </summary>
    private void RequireInTime(long asked)
    {
        TimeSpan taken = _environment.Time.GetElapsedTime(asked);
        if (taken >= _late)
        {
            throw new TimeoutException(string.Create(CultureInfo.InvariantCulture,
                $"a commit took {taken.TotalSeconds:0.0} s, and a synchronous standby may not have it"));
        }
    }

    private LogStoreException Refused(NpgsqlException error) => error is PostgresException { SqlState: "42P01" or "3F000" or "42703" }
        ? new LogStoreException(StoreErrors.StoreRefuses, "the tables of the store are not there", Address.Location, "nothing was changed",
            "start the instance once with a user that may make them, or correct the schema's name", error)
        : new LogStoreException(StoreErrors.StoreRefuses,
            $"the database refuses: {(error as PostgresException)?.MessageText ?? error.Message}", Address.Location,
            "nothing was changed by what was refused",
            "check user, password, database and rights", error);

    private static int Seconds(TimeSpan time) => Math.Max(1, (int)time.TotalSeconds);
}
