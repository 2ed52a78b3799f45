using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A catalog that knows no instance until the test says so.</summary>
internal sealed class UnnamedCatalog(ICatalog inner) : ICatalog
{
    private volatile bool _named;
    private int _asked;

    /// <summary>How often somebody asked for an instance.</summary>
    public int Asked => Volatile.Read(ref _asked);

    /// <summary>From here on it knows what is in it.</summary>
    public void Name() => _named = true;

    public ValueTask<CatalogRow?> GetAsync(string instance)
    {
        Interlocked.Increment(ref _asked);
        return _named ? inner.GetAsync(instance) : default;
    }

    public ValueTask<string?> PutAsync(CatalogEntry entry, string? expectedVersion) => inner.PutAsync(entry, expectedVersion);

    public ValueTask<bool> RemoveAsync(string instance, string? expectedVersion = null) => inner.RemoveAsync(instance, expectedVersion);

    public ValueTask<IReadOnlyList<CatalogRow>> ListAsync(ICollection<LogStoreException>? damaged = null) => inner.ListAsync(damaged);

    public ValueTask DisposeAsync() => inner.DisposeAsync();
}
