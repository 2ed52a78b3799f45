using Ambrosia.LogStore.Azure;
using Ambrosia.LogStore.Postgres;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.CoordinatorHost;

/// <summary>The stores of this build that are services: the one place that knows their assemblies.</summary>
public static class KnownStores
{
    /// <summary>All of them.</summary>
    /// <param name="environment">Value of an environment variable, or null: their secrets come from there.</param>
    public static IReadOnlyList<IStoreProvider> All(Func<string, string?> environment) =>
    [
        new PostgresStores(environment), new AzureBlobStores(environment), new AzureTableCatalogs(environment),
    ];
}
