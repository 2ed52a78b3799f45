using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Leases;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.LogStore.Postgres;

/// <summary>The row of an instance in <c>leases</c>, ours while it holds our token. The token grows with each acquisition.</summary>
internal sealed class PostgresLease : RenewedLease
{
    private readonly PostgresDatabase _database;
    private readonly string _instance;
    private readonly double _seconds;

    private PostgresLease(PostgresDatabase database, string instance, string location, TimeSpan duration, long token, long provenAt,
        LogStoreEnvironment environment)
        : base(environment, location, LeaseHolder.Current.Process, duration, provenAt) =>
        (_database, _instance, _seconds, Token) = (database, instance, duration.TotalSeconds, token);

    /// <summary>The instance, or a lock beside its log.</summary>
    public string Name => _instance;

    /// <summary>What stands in all files that the holder may change.</summary>
    public long Token { get; }

    /// <summary>
    /// Takes the lease if nobody has it, or its holder is a dead process of this machine; else null and the time that it runs at most.
    /// </summary>
    /// <param name="looking">Connections to look through: a waiting process looks often.</param>
    /// <param name="instance">The instance, or a lock beside its log.</param>
    /// <param name="location">The same for messages.</param>
    /// <param name="duration">Time of the lease.</param>
    /// <param name="environment">Clock, loops and log.</param>
    public static async ValueTask<(PostgresLease? Lease, TimeSpan Left)> TryAcquireAsync(PostgresDatabase looking, string instance,
        string location, TimeSpan duration, LogStoreEnvironment environment)
    {
        (LeaseHolder held, TimeSpan left, long token) = await LookAsync(looking, instance);
        bool isDead = left > TimeSpan.Zero && held.IsKnownDead();
        if (left > TimeSpan.Zero && !isDead)
        {
            return (null, left);
        }

        // What renews it waits for nobody else's statements.
        PostgresDatabase? database = new(looking.Address, looking.Secret, duration, environment);
        try
        {
            long asked = environment.Time.GetTimestamp();
            if (await TakeAsync(database, instance, token, duration, environment.Entropy) is not { } taken)
            {
                return (null, TimeSpan.Zero);
            }

            if (isDead)
            {
                ServiceLog.TakenFromDead(environment.Logger, location, held.Process);
            }

            var lease = new PostgresLease(database, instance, location, duration, taken, asked, environment);
            database = null;
            lease.Start(instance);
            return (lease, TimeSpan.Zero);
        }
        finally
        {
            if (database is not null)
            {
                await database.DisposeAsync();
            }
        }
    }

    /// <summary>Its holder, and for how long still by the server's clock; none, with token 0, when it was never taken.</summary>
    public static async ValueTask<(LeaseHolder Holder, TimeSpan Left, long Token)> LookAsync(PostgresDatabase database, string instance)
    {
        var rows = await database.QueryAsync(
            static row => (new LeaseHolder(row.GetString(0), row.GetString(1)), TimeSpan.FromSeconds(Math.Max(0, row.GetDouble(2))),
                row.GetInt64(3)),
            $"select holder, machine, extract(epoch from expires - clock_timestamp())::double precision, token from "
            + $"{database.Schema}.leases where instance = $1", instance);
        return rows is [var row] ? row : (new LeaseHolder("", ""), TimeSpan.Zero, 0);
    }

    // It waits for no standby: one that vanishes for a moment must not cost the lease, and appends, which do wait, are refused by the
    // token and not by the time.
    protected override async ValueTask<bool> TryRenewAsync(bool isRepeated, CancellationToken cancellationToken)
    {
        string text = $"""
            update {_database.Schema}.leases set expires = clock_timestamp() + make_interval(secs => $3) where instance = $1 and token = $2
            """;
        try
        {
            return await _database.ExecuteOnceAsync(text, [_instance, Token, _seconds], isRepeated, cancellationToken) == 1
                || (await IsForgottenAsync(_database) ? throw Forgotten() : false);
        }
        catch (LogStoreException error) when (PostgresTables.IsMissing(error))
        {
            throw Forgotten();
        }
    }

    /// <summary>
    /// Tokens only grow, and nobody removes a row: when it is gone, or has an older token than ours, the database has forgotten that we
    /// took it.
    /// </summary>
    /// <param name="database">Of the process that asks: the lease's own is closed once it was given back.</param>
    public async ValueTask<bool> IsForgottenAsync(PostgresDatabase database) => (await LookAsync(database, _instance)).Token < Token;

    // A renewal that is still on its way finds another token: it must not keep the row for one more term. A lock beside the log keeps its
    // token: a replica gives it back when it gets the log itself, and finishes the checkpoint that it had begun under it.
    protected override async ValueTask ReleaseAsync() => await _database.ExecuteAsync(
        $"""
        with free as (update {_database.Schema}.leases set token = token + $3, expires = clock_timestamp()
            where instance = $1 and token = $2 returning instance)
        select pg_notify('{LeaseNews.Channel(_database.Schema)}', instance) from free
        """,
        _instance, Token, IsBesideLog ? 0L : 1L);

    // No instance's name has a slash.
    private bool IsBesideLog => _instance.Contains('/', StringComparison.Ordinal);

    protected override ValueTask DisposeClientAsync() => _database.DisposeAsync();

    private StoreForgotException Forgotten() => new($"{_database.Address.Location} lease of {_instance}", null, 0);

    /// <summary>
    /// Only if the token is still what we saw: of several that ask, one gets it. The files are marked by a statement of its own, which
    /// sees segments that the predecessor made until the moment when its row changed: making one locks that row.
    /// </summary>
    private static async ValueTask<long?> TakeAsync(PostgresDatabase database, string instance, long seen, TimeSpan duration,
        IEntropy entropy)
    {
        // This very attempt's own mark: should its answer be lost, the next one knows that it was ours.
        byte[] mark = new byte[16];
        entropy.Fill(mark);
        string owner = Convert.ToHexString(mark);
        string s = database.Schema;
        LeaseHolder self = LeaseHolder.Current;
        object? token = await database.TogetherAsync(
            ($"insert into {s}.leases values ($1, 0, '', '', '', '-infinity') on conflict do nothing", [instance]),
            ($"update {s}.leases set token = token + 1, owner = $3, holder = $4, machine = $5, expires = clock_timestamp() + "
            + $"make_interval(secs => $6) where instance = $1 and token = $2",
                [instance, seen, owner, self.Process, self.Machine, duration.TotalSeconds]),
            ($"update {s}.files set token = l.token from {s}.leases l where l.instance = $1 and files.instance = $1 and "
            + $"files.token <> l.token", [instance]),
            // Locking is a change: an attempt that is made again waits for a synchronous standby, too.
            ($"select token from {s}.leases where instance = $1 and token = $2 + 1 and owner = $3 for share", [instance, seen, owner]));
        return token as long?;
    }
}
