using Ambrosia.LogStore.Storage;

namespace Ambrosia.LogStore.Catalog;

/// <summary>Chooses a catalog by its URI: <c>file:/path</c> or <c>memory:</c>. A store's URI serves as well: the catalog keeps to a folder that no instance can be named.</summary>
public static class Catalogs
{
    /// <summary>Opens the catalog. Nothing is touched before the first put.</summary>
    public static ICatalog Open(string uri, LogStoreEnvironment environment) => uri.Split(':')[0] switch
    {
        "file" => new FileCatalog(environment.Files, LogStores.RootOf(uri)),
        "memory" => new FileCatalog(environment.Memory, LogStores.RootOf(uri)),
        _ => throw new LogStoreException("IC-2040", LogExitCode.NotUsable, $"no catalog is known for '{uri.Split('?')[0]}'", "catalog", "nothing was touched", "use file:/path or memory:"),
    };
}
