using System.Globalization;
using Ambrosia.LogStore.Errors;
using Npgsql;

namespace Ambrosia.LogStore.Postgres;

/// <summary>
/// The tables of format 1, log-format.md. A file is a segment or checkpoint; its bytes lie in pieces, one for each append, never
/// compressed. The process that takes the lease writes its token into all files of the instance, so that an append needs to look at one
/// row only: the one that it changes anyway.
/// </summary>
internal static class PostgresTables
{
    private const int Format = 1;

    // Held while tables are made: two that start at once must not meet half of them. The number is ours alone only by being unlikely.
    private const long MakingLock = 0x416D62726F736961;

    /// <summary>Makes what is missing; refuses another format, and a server that forgets what it confirmed.</summary>
    public static async ValueTask PrepareAsync(PostgresDatabase database)
    {
        await RequireDurabilityAsync(database);
        if (!await ExistAsync(database))
        {
            string s = database.Schema;
            await database.TogetherAsync(($"select 1 from pg_advisory_xact_lock({MakingLock.ToString(CultureInfo.InvariantCulture)})", []),
                (Definition(s), []));
        }

        object? format = await database.ScalarAsync($"select version from {database.Schema}.format");
        if (format is not Format)
        {
            throw new LogStoreException(VersionErrors.FormatTooNew, $"the tables have format {format}, and this build reads {Format}",
                database.Address.Location, "nothing was changed", "start a build that knows it");
        }
    }

    /// <summary>Whether there are tables at all: looking at a store that was never used makes nothing.</summary>
    public static async ValueTask<bool> ExistAsync(PostgresDatabase database) =>
        await database.ScalarAsync("select to_regclass($1)::text", $"{database.Schema}.format") is string;

    /// <summary>Whether this says that there is no such table.</summary>
    public static bool IsMissing(LogStoreException error) => error.InnerException is PostgresException { SqlState: "42P01" or "3F000" };

    private static string Definition(string s) => $"""
        create schema if not exists {s};
        create table if not exists {s}.format (version integer not null);
        create table if not exists {s}.leases (instance text primary key, token bigint not null, owner text not null, holder text not null, machine text not null, expires timestamptz not null);
        create table if not exists {s}.files (file bigint generated always as identity primary key, instance text not null, kind text not null, number bigint not null,
            length bigint not null, token bigint not null, unique (instance, kind, number)) with (fillfactor = 50);
        create table if not exists {s}.pieces (file bigint not null, start bigint not null, bytes bytea not null, primary key (file, start));
        alter table {s}.pieces alter column bytes set storage external;
        create table if not exists {s}.manifests (instance text not null, copy integer not null, content bytea not null, primary key (instance, copy));
        create table if not exists {s}.catalog (instance text primary key, version bigint not null, entry text not null);
        insert into {s}.format select {Format.ToString(CultureInfo.InvariantCulture)} where not exists (select from {s}.format);
        """;

    /// <summary>"Durable" here means what the server says when it commits.</summary>
    private static async ValueTask RequireDurabilityAsync(PostgresDatabase database)
    {
        foreach (string setting in (string[])["fsync", "full_page_writes", "synchronous_commit"])
        {
            if (await database.ScalarAsync("select current_setting($1)", setting) is "off")
            {
                throw new LogStoreException(StoreErrors.ServerMayForget,
                    $"the server runs with {setting} = off and may forget what it confirmed", database.Address.Location,
                    "nothing was touched",
                    $"set {setting} = on for the server, the database and this user");
            }
        }
    }
}
