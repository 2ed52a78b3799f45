using Ambrosia.LogStore.Catalog;

namespace Ambrosia.LogStore.Stores;

/// <summary>
/// Chooses a catalog by its URI: <c>file:/path</c>, <c>memory:</c>, <c>dns:{instance}.domain:port</c>, or what
/// <see cref="LogStoreEnvironment.Stores"/> adds. A store's URI serves as well: the catalog keeps to a place that no instance can be
/// named.
/// </summary>
public static class Catalogs
{
    /// <summary>Opens the catalog. Nothing is touched before the first put.</summary>
    public static ICatalog Open(string uri, LogStoreEnvironment environment) => LogStores.SchemeOf(uri) switch
    {
        "file" => new FileCatalog(environment.Files, LogStores.RootOf(uri), environment.Time),
        "memory" => new FileCatalog(environment.Memory, LogStores.RootOf(uri), environment.Time),
        "dns" => DnsCatalog.Open(uri),
        var scheme => LogStores.Find(scheme, environment)?.OpenCatalog(uri, environment) ?? throw LogStores.Unknown(
            "catalog", uri, environment.Stores.Where(static store => store.HoldsCatalogs), "dns:{instance}.domain:port", "memory:"),
    };
}
