using System.Globalization;
using Ambrosia.LogStore.Storage;
using Ambrosia.Shared.Services;

namespace Ambrosia.LogStore.Postgres;

/// <summary>One instance's log in a database: rows in <c>files</c> and <c>pieces</c>, changed only under the token of the lease.</summary>
internal sealed class PostgresLogStorage(PostgresAddress address, StoreSecret secret, string instance, LogStoreOptions options, LogStoreEnvironment environment) : ILogStorage
{
    private const string Segment = "segment";
    private const string Checkpoint = "checkpoint";
    private const string Unfinished = "unfinished checkpoint";
    private const string Tail = "cut tail";
    private readonly PostgresDatabase _database = new(address, secret, options.LeaseDuration, environment);
    private readonly string _files = $"{address.Schema}.files";
    private readonly string _pieces = $"{address.Schema}.pieces";
    private PostgresLease? _lease;

    public string Instance => instance;

    public string Location { get; } = $"{address.Location} instance {instance}";

    public bool HasExactEnds => true;

    public ValueTask PrepareAsync() => PostgresTables.PrepareAsync(_database);

    public async ValueTask<ILogLease?> AcquireLeaseAsync(bool wait, CancellationToken cancellationToken) => _lease = await AcquireAsync(instance, Location, wait, cancellationToken);

    public async ValueTask<ILogLease?> AcquireSideLockAsync(string name, bool wait, CancellationToken cancellationToken) =>
        await AcquireAsync(SideLock(name), $"{Location} {name}", wait, cancellationToken);

    public async ValueTask<bool> IsSideLockHeldAsync(string name) =>
        await ViewAsync(async () => await PostgresLease.LookAsync(_database, SideLock(name)) is var (holder, left, _) && left > TimeSpan.Zero && !holder.IsKnownDead(), false);

    // A row of its own beside the instance's; no instance has a name with a slash.
    private string SideLock(string name) => $"{instance}/{name}";

    private async ValueTask<PostgresLease?> AcquireAsync(string name, string location, bool wait, CancellationToken cancellationToken)
    {
        await using var news = new LeaseNews(_database, environment.Time);
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            (PostgresLease? lease, TimeSpan left) = await PostgresLease.TryAcquireAsync(address, secret, name, location, options, environment);
            if (lease is not null || !wait)
            {
                return lease;
            }

            await news.WaitAsync(left, cancellationToken);
        }
    }

    public async ValueTask<string?> ReadHolderAsync() =>
        await ViewAsync(async () => await _database.ScalarAsync($"select holder from {address.Schema}.leases where instance = $1 and token > 0", instance) as string, null);

    public async ValueTask<bool> IsHeldAsync() => await ViewAsync(async () => (await PostgresLease.LookAsync(_database, instance)).Left > TimeSpan.Zero, false);

    public ValueTask<IReadOnlyList<ulong>> ListSegmentsAsync() => ListAsync(Segment, static number => (ulong)number, "");

    public async ValueTask<IStoredFile?> OpenSegmentAsync(ulong number, bool writable) => await OpenAsync(Segment, (long)number, writable ? Held() : null);

    public async ValueTask<IStoredFile?> CreateSegmentAsync(ulong number, ReadOnlyMemory<byte> header)
    {
        PostgresLease lease = Held();
        // The lock on the lease's row orders this before or behind whoever takes it.
        object? file = await _database.TogetherAsync(
            ($"insert into {_files} (instance, kind, number, length, token) select $1, '{Segment}', $2, $3, token from {address.Schema}.leases where instance = $1 and token = $4 for share on conflict do nothing",
                [instance, (long)number, (long)header.Length, lease.Token]),
            ($"insert into {_pieces} select file, 0, $3 from {_files} where instance = $1 and kind = '{Segment}' and number = $2 and token = $4 on conflict do nothing",
                [instance, (long)number, header, lease.Token]),
            // Only ours begins with our header: the epoch in it was nobody else's, and an attempt whose answer was lost counts as this one.
            ($"select f.file from {_files} f join {_pieces} p on p.file = f.file and p.start = 0 where f.instance = $1 and f.kind = '{Segment}' and f.number = $2 and f.length = $3 and f.token = $4 and p.bytes = $5",
                [instance, (long)number, (long)header.Length, lease.Token, header]));
        return file is long id ? new PostgresFile(_database, id, NameOf(Segment, (long)number), lease) : null;
    }

    public ValueTask DeleteSegmentAsync(ulong number) => DeleteAsync(Segment, (long)number);

    public async ValueTask<bool> KeepTailAsync(ulong number, ReadOnlyMemory<byte> tail)
    {
        await DeleteAsync(Tail, (long)number);
        await using IStoredFile kept = await CreateAsync(Tail, (long)number);
        await kept.AppendAsync(tail, 0);
        return true;
    }

    public ValueTask<bool> PrepareSpaceAsync() => new(false);

    public ValueTask<IReadOnlyList<Lsn>> ListCheckpointsAsync() => ListAsync(Checkpoint, static number => new Lsn((ulong)number), "desc");

    public async ValueTask<IStoredFile> CreateCheckpointAsync(Lsn lsn)
    {
        await DeleteAsync(Unfinished, (long)lsn.Value);
        return await CreateAsync(Unfinished, (long)lsn.Value);
    }

    public async ValueTask CommitCheckpointAsync(Lsn lsn)
    {
        PostgresLease lease = Held();
        object[] values = [instance, (long)lsn.Value, lease.Token];
        object? done = await _database.TogetherAsync(
            (Deletion(Checkpoint) + $" and exists (select from {_files} where instance = $1 and kind = '{Unfinished}' and number = $2 and token = $3)" + Returning, values),
            ($"update {_files} set kind = '{Checkpoint}' where instance = $1 and kind = '{Unfinished}' and number = $2 and token = $3", values),
            ($"select file from {_files} where instance = $1 and kind = '{Checkpoint}' and number = $2 and token = $3", values));
        if (done is null)
        {
            throw lease.Fenced();
        }
    }

    public ValueTask AbandonCheckpointAsync(Lsn lsn) => DeleteAsync(Unfinished, (long)lsn.Value);

    public async ValueTask<IStoredFile?> OpenCheckpointAsync(Lsn lsn) => await OpenAsync(Checkpoint, (long)lsn.Value, null);

    public ValueTask DeleteCheckpointAsync(Lsn lsn) => DeleteAsync(Checkpoint, (long)lsn.Value);

    public async ValueTask<byte[]?> ReadManifestAsync(int copy) =>
        await ViewAsync(async () => await _database.ScalarAsync($"select content from {address.Schema}.manifests where instance = $1 and copy = $2", instance, copy) as byte[], null);

    public async ValueTask WriteManifestAsync(int copy, ReadOnlyMemory<byte> content)
    {
        PostgresLease lease = Held();
        object? held = await _database.TogetherAsync(
            ($"insert into {address.Schema}.manifests select instance, $2, $3 from {address.Schema}.leases where instance = $1 and token = $4 for share on conflict (instance, copy) do update set content = excluded.content",
                [instance, copy, content, lease.Token]),
            ($"select token from {address.Schema}.leases where instance = $1", [instance]));
        if (held is not long token || token != lease.Token)
        {
            throw lease.Fenced();
        }
    }

    public async ValueTask RemoveLeftoversAsync() => await _database.ExecuteAsync(
        $"with gone as (delete from {_files} where instance = $1 and kind = '{Unfinished}' and token = $2 returning file) {DeletionOfPieces}", instance, Held().Token);

    public ValueTask<long> GetFreeBytesAsync() => new(long.MaxValue);

    public ValueTask DisposeAsync() => _database.DisposeAsync();

    private string DeletionOfPieces => $"delete from {_pieces} using gone where {_pieces}.file = gone.file";

    private PostgresLease Held() => _lease ?? throw new InvalidOperationException($"{Location} is changed by the holder of its lease only.");

    // Open at its end: more conditions may follow.
    private string Deletion(string kind) => $"with gone as (delete from {_files} where instance = $1 and kind = '{kind}' and number = $2 and token = $3";

    private string Returning => " returning file) " + DeletionOfPieces;

    private string NameOf(string kind, long number) => string.Create(CultureInfo.InvariantCulture, $"{Location} {kind} {number}");

    private async ValueTask DeleteAsync(string kind, long number) =>
        await _database.ExecuteAsync(Deletion(kind) + Returning, instance, number, Held().Token);

    private async ValueTask<IStoredFile> CreateAsync(string kind, long number)
    {
        PostgresLease lease = Held();
        object? file = await _database.TogetherAsync(
            ($"insert into {_files} (instance, kind, number, length, token) select $1, '{kind}', $2, 0, token from {address.Schema}.leases where instance = $1 and token = $3 for share on conflict do nothing",
                [instance, number, lease.Token]),
            ($"select file from {_files} where instance = $1 and kind = '{kind}' and number = $2 and token = $3 and length = 0", [instance, number, lease.Token]));
        return file is long id ? new PostgresFile(_database, id, NameOf(kind, number), lease) : throw lease.Fenced();
    }

    private ValueTask<PostgresFile?> OpenAsync(string kind, long number, PostgresLease? lease) => ViewAsync(async () =>
        await _database.ScalarAsync($"select file from {_files} where instance = $1 and kind = '{kind}' and number = $2", instance, number) is long file
            ? new PostgresFile(_database, file, NameOf(kind, number), lease)
            : null, null);

    private ValueTask<IReadOnlyList<T>> ListAsync<T>(string kind, Func<long, T> convert, string direction) => ViewAsync<IReadOnlyList<T>>(async () =>
        await _database.QueryAsync(row => convert(row.GetInt64(0)), $"select number from {_files} where instance = $1 and kind = '{kind}' order by number {direction}", instance), []);

    /// <summary>What nobody has made yet is empty: looking at it makes nothing.</summary>
    private static async ValueTask<T> ViewAsync<T>(Func<ValueTask<T>> look, T none)
    {
        try
        {
            return await look();
        }
        catch (LogStoreException error) when (PostgresTables.IsMissing(error))
        {
            return none;
        }
    }
}
