using Ambrosia.LogStore.Catalog;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>
/// A catalog to which an instance has just decided what to write, when another process writes first; as if it had been stopped in between.
/// </summary>
internal sealed class OvertakingCatalog(ICatalog inner, Func<CatalogEntry, CatalogEntry> other) : ICatalog
{
    private bool _overtaken;

    /// <summary>What else has happened by then.</summary>
    public Func<ValueTask> Meanwhile { get; init; } = static () => default;

    public async ValueTask<string?> PutAsync(CatalogEntry entry, string? expectedVersion)
    {
        if (!_overtaken)
        {
            _overtaken = true;
            await Meanwhile();
            await inner.PutAsync(other(entry), expectedVersion);
        }

        return await inner.PutAsync(entry, expectedVersion);
    }

    public ValueTask<CatalogRow?> GetAsync(string instance) => inner.GetAsync(instance);

    public ValueTask<bool> RemoveAsync(string instance, string? expectedVersion = null) => inner.RemoveAsync(instance, expectedVersion);

    public ValueTask<IReadOnlyList<CatalogRow>> ListAsync() => inner.ListAsync();

    public ValueTask DisposeAsync() => inner.DisposeAsync();
}
