using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Storage;
using Npgsql;

namespace Ambrosia.LogStore.Postgres;

/// <summary>
/// A segment or checkpoint that is a row in <c>files</c> with its pieces. What it is changed under is the token of the lease; a reader has
/// none.
/// </summary>
internal sealed class PostgresFile(PostgresDatabase database, long file, string name, PostgresLease? lease) : IStoredFile
{
    // A value may be larger, but server and client hold each as a whole.
    private const int LargestPiece = 8 << 20;

    public string Name => name;

    public async ValueTask<long> GetLengthAsync() =>
        await database.ScalarAsync($"select length from {database.Schema}.files where file = $1", file) is long length ? length : 0;

    public async ValueTask<int> ReadAsync(Memory<byte> destination, long offset)
    {
        if (destination.IsEmpty)
        {
            return 0;
        }

        // From the piece that holds the offset on; of each only what is asked for leaves the server.
        List<(long Start, byte[] Bytes)> pieces = await database.QueryAsync(static row => (row.GetInt64(0), row.GetFieldValue<byte[]>(1)), $"""
            select greatest(start, $2), substr(bytes, (greatest($2 - start, 0) + 1)::integer, least($2 + $3 - greatest(start, $2), 1073741823)::integer) from {database.Schema}.pieces
            where file = $1 and start >= coalesce((select max(start) from {database.Schema}.pieces where file = $1 and start <= $2), 0) and start < $2 + $3 order by start
            """, file, offset, (long)destination.Length);
        int read = 0;
        foreach ((long start, byte[] bytes) in pieces)
        {
            if (start != offset + read)
            {
                break; // A piece is missing: what follows must look like missing, too.
            }

            bytes.CopyTo(destination[read..]);
            read += bytes.Length;
        }

        return read;
    }

    /// <summary>
    /// Accepted only where the file ends and under the token that it is marked with. So the same append may be sent again when its answer
    /// was lost: it happens once, and if it has happened, the file's length says so.
    /// </summary>
    public async ValueTask AppendAsync(ReadOnlyMemory<byte> source, long offset)
    {
        long token = Writing().Token;
        int changed;
        try
        {
            changed = await AppendOnceAsync(source, offset, token);
        }
        catch (LogStoreException error) when (PostgresTables.IsMissing(error))
        {
            throw new StoreForgotException(name, null, offset); // The tables were there when the lease was taken.
        }

        if (changed == 0)
        {
            await RequireAcceptedAsync(offset, offset + source.Length, token);
        }
    }

    private async ValueTask<int> AppendOnceAsync(ReadOnlyMemory<byte> source, long offset, long token) =>
        source.Length <= LargestPiece
            ? await database.ExecuteAsync($"""
                with grown as (update {database.Schema}.files set length = $3 + $4 where file = $1 and token = $2 and length = $3 returning file)
                insert into {database.Schema}.pieces select file, $3, $5 from grown
                """, file, token, offset, (long)source.Length, source)
            : await AppendLargeAsync(source, offset, token);

    // A transaction is durable when it is committed.
    public ValueTask SyncAsync() => default;

    public async ValueTask CutAsync(long length)
    {
        string s = database.Schema;
        PostgresLease held = Writing();
        object? cut = await database.TogetherAsync(
            ($"update {s}.files set length = least(length, $3) where file = $1 and token = $2", [file, held.Token, length]),
            ($"delete from {s}.pieces p using {s}.files f where p.file = $1 and f.file = $1 and f.token = $2 and p.start >= $3",
                [file, held.Token, length]),
            ($"update {s}.pieces p set bytes = substr(p.bytes, 1, ($3 - p.start)::integer) from {s}.files f where p.file = $1 and f.file "
            + $"= $1 and f.token = $2 and p.start < $3 and p.start + octet_length(p.bytes) > $3",
                [file, held.Token, length]),
            ($"select token from {s}.files where file = $1", [file]));
        if (cut is not long token || token != held.Token)
        {
            throw held.Fenced();
        }
    }

    public ValueTask PrepareAsync(long from, long to) => default;

    // Each append asks for the row of this very file and its token.
    public ValueTask VerifyIdentityAsync() => default;

    public ValueTask DisposeAsync() => default;

    private PostgresLease Writing() => lease ?? throw new InvalidOperationException($"{name} was opened for reading only.");

    private ValueTask<int> AppendLargeAsync(
        ReadOnlyMemory<byte> source, long offset, long token) => database.TransactAsync(async connection =>
    {
        await using NpgsqlCommand grow = PostgresDatabase.Fill(new NpgsqlCommand(
            $"update {database.Schema}.files set length = $3 + $4 where file = $1 and token = $2 and length = $3", connection),
            [file, token, offset, (long)source.Length]);
        if (await grow.ExecuteNonQueryAsync() == 0)
        {
            return 0;
        }

        for (int at = 0; at < source.Length; at += LargestPiece)
        {
            await using NpgsqlCommand put =
                PostgresDatabase.Fill(new NpgsqlCommand($"insert into {database.Schema}.pieces values ($1, $2, $3)", connection),
                [file, offset + at, source.Slice(at, Math.Min(LargestPiece, source.Length - at))]);
            await put.ExecuteNonQueryAsync();
        }

        return 1;
    });

    /// <summary>
    /// Tokens only grow. A row that is marked with an older one, or a lease that is, was brought back from before ours; one that is not
    /// there was deleted by the next holder, or never came back.
    /// </summary>
    private async ValueTask<LogStoreException> LossAsync(long confirmed, long token)
    {
        List<(long Length, long Token)> rows = await database.QueryAsync(
            static row => (row.GetInt64(0), row.GetInt64(1)), $"select length, token from {database.Schema}.files where file = $1", file);
        bool isOlder = rows is [var row] ? row.Token < token : await Writing().IsForgottenAsync(database);
        return isOlder ? new StoreForgotException(name, rows is [var older] ? older.Length : null, confirmed) : Writing().Fenced();
    }

    /// <summary>
    /// Nothing was changed: an earlier attempt of ours has done it and its answer was lost, or somebody else has the lease. Asked by a
    /// change, though of nothing: a synchronous standby that has this one has the append, too. A look would not wait for it.
    /// </summary>
    private async ValueTask RequireAcceptedAsync(long offset, long end, long token)
    {
        if (await database.TogetherAsync(
            ($"update {database.Schema}.files set length = length where file = $1 and token = $2 returning length",
                [file, token])) is not long length)
        {
            throw await LossAsync(offset, token);
        }

        if (length < offset)
        {
            throw new StoreForgotException(name, length, offset);
        }

        if (length != end)
        {
            throw new LogFailedException(StoreErrors.WriteFailed, $"the file ends at {length} and an append up to {end} was not accepted",
                name);
        }
    }
}
