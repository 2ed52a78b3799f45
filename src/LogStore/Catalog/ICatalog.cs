using Ambrosia.LogStore.Errors;

namespace Ambrosia.LogStore.Catalog;

/// <summary>
/// Which instances exist, and where. Never the authority on epoch or log position: an unreachable or outdated catalog must not stop a
/// running instance.
/// </summary>
public interface ICatalog : IAsyncDisposable
{
    /// <summary>The entry of an instance, or null.</summary>
    ValueTask<CatalogRow?> GetAsync(string instance);

    /// <summary>
    /// Writes an entry if the stored one still has the expected version; a null version expects that there is none. Returns the new
    /// version, or null when somebody else was faster: read again and decide anew.
    /// </summary>
    ValueTask<string?> PutAsync(CatalogEntry entry, string? expectedVersion);

    /// <summary>Removes an entry; with a version only if it still has that one. False when there was nothing to remove.</summary>
    ValueTask<bool> RemoveAsync(string instance, string? expectedVersion = null);

    /// <summary>All entries in the order of their names.</summary>
    /// <param name="damaged">Is given the failure of each entry that cannot be read; null: the first one is thrown.</param>
    ValueTask<IReadOnlyList<CatalogRow>> ListAsync(ICollection<LogStoreException>? damaged = null);
}
