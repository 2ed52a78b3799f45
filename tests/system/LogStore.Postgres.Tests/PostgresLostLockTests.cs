using Ambrosia.LogStore.Postgres.Tests.Support;
using Ambrosia.LogStore.Stores;
using Ambrosia.Services;

namespace Ambrosia.LogStore.Postgres.Tests;

[Collection("server")]
public sealed class PostgresLostLockTests(PostgresServer server) : LostLockTests
{
    protected override string Uri { get; } = server.NewUri();

    protected override LogStoreEnvironment NewEnvironment() => PostgresWorld.Environment();

    protected override async Task ExpireAsync(string sideLock) =>
        Assert.Equal(1L, await server.ScalarAsync(
            $"with ended as (update {Uri.Split('=')[1]}.leases set expires = now() - interval '1 s' where instance = 'bank/{sideLock}' "
            + $"returning 1) select count(*) from ended"));
}
