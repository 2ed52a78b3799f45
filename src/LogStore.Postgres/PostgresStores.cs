using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Leases;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.LogStore.Postgres;

/// <summary>Stores and catalogs in PostgreSQL: <c>postgres://user@host:port/database?schema=name</c>.</summary>
/// <param name="environment">Value of an environment variable, or null: PGPASSWORD, or AMBROSIA_STORE_SECRET_FILE with the name of a file
/// that holds the password.</param>
public sealed class PostgresStores(Func<string, string?> environment) : IStoreProvider
{
    private readonly StoreSecret _secret = new(environment);

    public string Scheme => "postgres";

    public string Form => "postgres://user@host/database";

    public ILogStorage OpenLog(string uri, string instance, LogStoreOptions options, LogStoreEnvironment environment) =>
        new PostgresLogStorage(PostgresAddress.Parse(uri), _secret, InstanceName.Validate(instance), options, environment);

    public ICatalog OpenCatalog(string uri, LogStoreEnvironment environment) =>
        new PostgresCatalog(new PostgresDatabase(PostgresAddress.Parse(uri), _secret, ServiceRetry.CatalogTime, environment));
}
