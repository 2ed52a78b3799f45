using Ambrosia.LogStore.Postgres.Tests.Support;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests;

namespace Ambrosia.LogStore.Postgres.Tests;

[Collection("server")]
public sealed class PostgresContractTests(PostgresServer server) : ContractConformance
{
    protected override string Uri { get; } = server.NewUri();

    protected override LogStoreEnvironment NewEnvironment() => PostgresWorld.Environment();
}
