using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Leases;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.LogStore.Azure;

/// <summary>Catalogs in Azure Table Storage: <c>aztable://account.table.core.windows.net/table</c>.</summary>
/// <param name="environment">Value of an environment variable, or null: the secret's, see docs/operate/stores.md.</param>
public sealed class AzureTableCatalogs(Func<string, string?> environment) : IStoreProvider
{
    private readonly StoreSecret _secret = new(environment);

    public string Scheme => AzureAddress.Tables;

    public string Form => AzureAddress.FormOf(Scheme);

    public bool HoldsLogs => false;

    public ILogStorage OpenLog(string uri, string instance, LogStoreOptions options, LogStoreEnvironment environment) =>
        throw new LogStoreException(StoreErrors.UnknownStore,
        "a log is in a container, not in a table", "store", "nothing was touched", $"use {AzureAddress.FormOf(AzureAddress.Blobs)}");

    public ICatalog OpenCatalog(string uri, LogStoreEnvironment environment)
    {
        AzureAddress address = AzureAddress.Parse(uri, Scheme);
        return new TableCatalog(new AzureAccount(address, _secret, ServiceRetry.CatalogTime, environment));
    }
}
