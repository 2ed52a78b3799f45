namespace Ambrosia.LogStore.Postgres.Tests.Support;

/// <summary>Tests that share the server.</summary>
[CollectionDefinition("server")]
public sealed class PostgresCollection : ICollectionFixture<PostgresServer>;
