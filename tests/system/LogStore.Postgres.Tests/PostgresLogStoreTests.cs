using Ambrosia.LogStore.Postgres.Tests.Support;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests;

namespace Ambrosia.LogStore.Postgres.Tests;

[Collection("server")]
public sealed class PostgresLogStoreTests(PostgresServer server) : LogStoreConformance
{
    protected override string Uri { get; } = server.NewUri();

    protected override bool FinishesCheckpoints => true;

    protected override LogStoreEnvironment NewEnvironment() => PostgresWorld.Environment();
}
