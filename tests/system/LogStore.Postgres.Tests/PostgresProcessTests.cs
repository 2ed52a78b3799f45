using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.LogStore.Postgres.Tests.Support;
using Ambrosia.Services;
using Xunit.Abstractions;

namespace Ambrosia.LogStore.Postgres.Tests;

/// <summary>Logs and catalog in PostgreSQL.</summary>
[Collection("server")]
public sealed class PostgresProcessTests(PostgresServer server, ITestOutputHelper output) : ServiceProcessTests(output)
{
    protected override string Title => "PostgreSQL";

    protected override string ReportName => "LogStore.Postgres";

    protected override string Secret => PostgresServer.Password;

    protected override int Kills => KillsOf(12);

    protected override (string Name, string Value) Login => ("PGPASSWORD", PostgresServer.Password);

    private protected override NodeSettings NodeOf(string place, TimeSpan lease) => NodeSettings.Small with
    {
        CoordinatorArguments = [.. NodeSettings.Small.CoordinatorArguments, "--lease-duration",
            string.Create(CultureInfo.InvariantCulture, $"{lease.TotalSeconds:0}s")],
        CoordinatorEnvironment = [Login],
        Store = server.UriOf(place),
        Catalog = server.UriOf(place),
    };

    private protected override async Task<string> OldSegmentsAsync(string place, string prefix) => (string)(await server.ScalarAsync($"""
        select string_agg(instance || ' ' || number || ':' || length, ' ' order by instance, number) from {place}.files f where kind = 'segment' and instance like '{prefix}%'
        and number < (select max(number) from {place}.files where kind = 'segment' and instance = f.instance)
        """))!;
}
