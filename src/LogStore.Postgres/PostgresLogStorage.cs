using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Globalization;
using System.Security.Cryptography;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Leases;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.LogStore.Postgres;

/// <summary>
/// One instance's log in a database: rows in <c>files</c> and <c>pieces</c>, changed only under the token of the lease. Locks beside the
/// log are leases of their own, and what the checkpointer has not finished yet lies under its lock's name and token: the next holder of
/// that lock marks it as its own, and the predecessor cannot go on.
/// </summary>
internal sealed class PostgresLogStorage(PostgresAddress address, StoreSecret secret, string instance, LogStoreOptions options,
    LogStoreEnvironment environment) : ILogStorage
{
    private const string Segment = "segment";
    private const string Checkpoint = "checkpoint";
    private const string Unfinished = "unfinished checkpoint";
    private const string Tail = "cut tail";
    private const string Contract = "contract";
    private readonly PostgresDatabase _database = new(address, secret, options.LeaseDuration, environment);
    private readonly string _files = $"{address.Schema}.files";
    private readonly string _pieces = $"{address.Schema}.pieces";
    private readonly string _leases = $"{address.Schema}.leases";
    private readonly ConcurrentDictionary<Lsn, PostgresLease> _begun = new();
    private PostgresLease? _lease;
    private PostgresLease? _checkpointer;
    private bool _isWriter;

    public string Instance => instance;

    public string Location { get; } = $"{address.Location} instance {instance}";

    public bool HasExactEnds => true;

    public TimeSpan LongestPause => TimeSpan.FromMilliseconds(40);

    public ValueTask PrepareAsync() => PostgresTables.PrepareAsync(_database);

    public async ValueTask<ILogLease?> AcquireLeaseAsync(bool wait, CancellationToken cancellationToken) =>
        _lease = await AcquireAsync(instance, Location, wait, cancellationToken);

    public async ValueTask<ILogLease?> AcquireNamedLeaseAsync(string name, bool wait, CancellationToken cancellationToken)
    {
        PostgresLease? lease = await AcquireAsync(NamedLease(name), $"{Location} {name}", wait, cancellationToken);
        return lease is not null && NamedLeases.GuardsCheckpoints(name) ? _checkpointer = await MakeRoomAsync(lease) : lease;
    }

    public ValueTask<string?> ReadSideHolderAsync(string name) => ViewAsync(async () =>
        await PostgresLease.LookAsync(_database, NamedLease(name)) is var (holder, left, _) && left > TimeSpan.Zero && !holder.IsKnownDead()
        ? holder.Process : null, null);

    // A row of its own beside the instance's; no instance has a name with a slash.
    private string NamedLease(string name) => $"{instance}/{name}";

    private async ValueTask<PostgresLease?> AcquireAsync(string name, string location, bool wait, CancellationToken cancellationToken)
    {
        await using var news = new LeaseNews(_database, environment.Time);
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            (PostgresLease? lease, TimeSpan left) =
                await PostgresLease.TryAcquireAsync(_database, name, location, options.LeaseDuration, environment);
            if (lease is not null || !wait)
            {
                return lease;
            }

            await news.WaitAsync(left, cancellationToken);
        }
    }

    public async ValueTask<string?> ReadHolderAsync() =>
        await ViewAsync(async () => await _database.ScalarAsync(
            $"select holder from {address.Schema}.leases where instance = $1 and token > 0", instance) as string, null);

    public async ValueTask<bool> IsHeldAsync() =>
        await ViewAsync(async () => (await PostgresLease.LookAsync(_database, instance)).Left > TimeSpan.Zero, false);

    public ValueTask<IReadOnlyList<ulong>> ListSegmentsAsync() => ListAsync(Segment, static number => (ulong)number, "");

    public async ValueTask<IStoredFile?> OpenSegmentAsync(ulong number, bool writable) =>
        await OpenAsync(Segment, (long)number, writable ? Held() : null);

    public async ValueTask<IStoredFile?> CreateSegmentAsync(ulong number, ReadOnlyMemory<byte> header)
    {
        PostgresLease lease = Held();
        // The lock on the lease's row orders this before or after the next holder.
        object? file = await _database.TogetherAsync(
            ($"insert into {_files} (instance, kind, number, length, token) select $1, '{Segment}', $2, $3, token from "
            + $"{address.Schema}.leases where instance = $1 and token = $4 for share on conflict do nothing",
                [instance, (long)number, (long)header.Length, lease.Token]),
            ($"insert into {_pieces} select file, 0, $3 from {_files} where instance = $1 and kind = '{Segment}' and number = $2 and "
            + $"token = $4 on conflict do nothing",
                [instance, (long)number, header, lease.Token]),
            // Only ours begins with our header: the epoch in it was nobody else's, and an attempt whose answer was lost counts as this one.
            ($"select f.file from {_files} f join {_pieces} p on p.file = f.file and p.start = 0 where f.instance = $1 and f.kind = "
            + $"'{Segment}' and f.number = $2 and f.length = $3 and f.token = $4 and p.bytes = $5",
                [instance, (long)number, (long)header.Length, lease.Token, header]));
        return file is long id ? new PostgresFile(_database, id, NameOf(Segment, (long)number), lease) : null;
    }

    public ValueTask DeleteSegmentAsync(ulong number) => DeleteAsync(Segment, (long)number);

    public async ValueTask<bool> KeepTailAsync(ulong number, ReadOnlyMemory<byte> tail)
    {
        await DeleteAsync(Tail, (long)number);
        await using IStoredFile kept = await CreateAsync(Tail, (long)number, Held());
        await kept.AppendAsync(tail, 0);
        return true;
    }

    public ValueTask<bool> PrepareSpaceAsync() => new(false);

    public ValueTask<IReadOnlyList<Lsn>> ListCheckpointsAsync() => ListAsync(Checkpoint, static number => new Lsn((ulong)number), "desc");

    public async ValueTask<IStoredFile> CreateCheckpointAsync(Lsn lsn)
    {
        // A replica that has just got the right to append still makes the one that it had begun to follow for.
        PostgresLease lease = _isWriter ? Held() : _checkpointer ?? Held();
        await DeleteAsync(Unfinished, (long)lsn.Value, lease);
        _begun[lsn] = lease;
        return await CreateAsync(Unfinished, (long)lsn.Value, lease);
    }

    public async ValueTask CommitCheckpointAsync(Lsn lsn)
    {
        PostgresLease lease = _begun[lsn];
        // A primary that has both commits an upgrade: that counts only while it has both. Any other writer needs what it began under.
        PostgresLease also = _isWriter && lease == _lease && _checkpointer is { IsGivenBack: false } room ? room : lease;
        object[] values = [instance, (long)lsn.Value, lease.Name, lease.Token, also.Name, also.Token];
        string held = $"exists (select from {_leases} where instance = $3 and token = $4) and exists (select from {_leases} where "
            + $"instance = $5 and token = $6)";
        object? done = await _database.TogetherAsync(
            // These locks order it before or after the next holder of one of the leases: what follows sees either our tokens, or its own.
            // The instance's row says whose the checkpoint will be.
            ($"select token from {_leases} where instance in ($1, $3, $5) order by instance for share", values),
            ($"with gone as (delete from {_files} f where f.instance = $1 and f.kind = '{Checkpoint}' and f.number = $2 and {held} and "
            + $"exists (select from {_files} where instance = $3 and kind = '{Unfinished}' and number = $2 and token = $4)" + Returning,
            values),
            ($"update {_files} f set instance = $1, kind = '{Checkpoint}', token = (select token from {_leases} where instance = $1) "
            + $"where f.instance = $3 and f.kind = '{Unfinished}' and f.number = $2 and f.token = $4 and {held}", values),
            // An earlier attempt whose answer was lost has left nothing unfinished, and is found here.
            ($"select f.file from {_files} f where f.instance = $1 and f.kind = '{Checkpoint}' and f.number = $2 and {held} and not "
            + $"exists (select from {_files} where instance = $3 and kind = '{Unfinished}' and number = $2)", values));
        if (done is null)
        {
            throw also.Fenced();
        }

        _begun.TryRemove(lsn, out _);
    }

    public async ValueTask AbandonCheckpointAsync(Lsn lsn)
    {
        if (_begun.TryRemove(lsn, out PostgresLease? lease))
        {
            await DeleteAsync(Unfinished, (long)lsn.Value, lease);
        }
    }

    public async ValueTask<IStoredFile?> OpenCheckpointAsync(Lsn lsn) => await OpenAsync(Checkpoint, (long)lsn.Value, null);

    public ValueTask DeleteCheckpointAsync(Lsn lsn) => DeleteAsync(Checkpoint, (long)lsn.Value);

    public async ValueTask<byte[]?> ReadManifestAsync(int copy) =>
        await ViewAsync(async () => await _database.ScalarAsync(
            $"select content from {address.Schema}.manifests where instance = $1 and copy = $2", instance, copy) as byte[], null);

    public async ValueTask WriteManifestAsync(int copy, ReadOnlyMemory<byte> content)
    {
        PostgresLease lease = Held();
        object? held = await _database.TogetherAsync(
            ($"insert into {address.Schema}.manifests select instance, $2, $3 from {address.Schema}.leases where instance = $1 and token "
            + $"= $4 for share on conflict (instance, copy) do update set content = excluded.content",
                [instance, copy, content, lease.Token]),
            ($"select token from {address.Schema}.leases where instance = $1", [instance]));
        if (held is not long token || token != lease.Token)
        {
            throw lease.Fenced();
        }
    }

    /// <summary>Its number is the beginning of its SHA-256: nothing is ever written over, so that no lease needs to be asked.</summary>
    public async ValueTask KeepContractAsync(ReadOnlyMemory<byte> text)
    {
        long number = BinaryPrimitives.ReadInt64BigEndian(SHA256.HashData(text.Span));
        await _database.ExecuteAsync($"""
            with made as (insert into {_files} (instance, kind, number, length, token) values ($1, '{Contract}', $2, $3, 0) on conflict do nothing returning file)
            insert into {_pieces} select file, 0, $4 from made
            """, instance, number, (long)text.Length, text);
    }

    /// <summary>Instances of one app have told the same: each text comes once.</summary>
    public ValueTask<IReadOnlyList<byte[]>> ReadContractsAsync() => ViewAsync<IReadOnlyList<byte[]>>(async () =>
        await _database.QueryAsync(static row => row.GetFieldValue<byte[]>(0), $"""
            select p.bytes from {_files} f join {_pieces} p on p.file = f.file and p.start = 0
            where f.kind = '{Contract}' and f.file in
                (select distinct on (number) file from {_files} where kind = '{Contract}' order by number, instance <> $1, file desc)
            order by f.instance <> $1, f.file desc
            """, instance), []);

    public async ValueTask RemoveLeftoversAsync()
    {
        await RemoveUnfinishedAsync(Held());
        _isWriter = true;
    }

    public ValueTask<long> GetFreeBytesAsync() => new(long.MaxValue);

    public ValueTask DisposeAsync() => _database.DisposeAsync();

    private string DeletionOfPieces => $"delete from {_pieces} using gone where {_pieces}.file = gone.file";

    private PostgresLease Held() =>
        _lease ?? throw new InvalidOperationException($"{Location} is changed by the holder of its lease only.");

    private string Returning => " returning file) " + DeletionOfPieces;

    private string NameOf(string kind, long number) => string.Create(CultureInfo.InvariantCulture, $"{Location} {kind} {number}");

    /// <summary>What its predecessor had begun is marked with the new token already, and goes.</summary>
    private async ValueTask<PostgresLease> MakeRoomAsync(PostgresLease checkpointer)
    {
        try
        {
            await RemoveUnfinishedAsync(checkpointer);
            return checkpointer;
        }
        catch (LogStoreException)
        {
            await checkpointer.DisposeAsync();
            throw;
        }
    }

    private async ValueTask RemoveUnfinishedAsync(PostgresLease lease) => await _database.ExecuteAsync(
        $"with gone as (delete from {_files} where instance = $1 and kind = '{Unfinished}' and token = $2 returning file) "
        + $"{DeletionOfPieces}", lease.Name, lease.Token);

    private ValueTask DeleteAsync(string kind, long number) => DeleteAsync(kind, number, Held());

    private async ValueTask DeleteAsync(string kind, long number, PostgresLease lease) => await _database.ExecuteAsync(
        $"with gone as (delete from {_files} where instance = $1 and kind = '{kind}' and number = $2 and token = $3" + Returning,
        lease.Name, number, lease.Token);

    private async ValueTask<IStoredFile> CreateAsync(string kind, long number, PostgresLease lease)
    {
        object? file = await _database.TogetherAsync(
            ($"insert into {_files} (instance, kind, number, length, token) select $1, '{kind}', $2, 0, token from "
            + $"{address.Schema}.leases where instance = $1 and token = $3 for share on conflict do nothing",
                [lease.Name, number, lease.Token]),
            ($"select file from {_files} where instance = $1 and kind = '{kind}' and number = $2 and token = $3 and length = 0",
                [lease.Name, number, lease.Token]));
        return file is long id ? new PostgresFile(_database, id, NameOf(kind, number), lease) : throw lease.Fenced();
    }

    private ValueTask<PostgresFile?> OpenAsync(string kind, long number, PostgresLease? lease) => ViewAsync(async () =>
        await _database.ScalarAsync($"select file from {_files} where instance = $1 and kind = '{kind}' and number = $2", instance,
            number) is long file
            ? new PostgresFile(_database, file, NameOf(kind, number), lease)
            : null, null);

    private ValueTask<IReadOnlyList<T>> ListAsync<T>(string kind, Func<long, T> convert, string direction) =>
        ViewAsync<IReadOnlyList<T>>(async () =>
        await _database.QueryAsync(row => convert(row.GetInt64(0)),
            $"select number from {_files} where instance = $1 and kind = '{kind}' order by number {direction}", instance), []);

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
