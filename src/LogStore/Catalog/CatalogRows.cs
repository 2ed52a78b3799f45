using Ambrosia.LogStore.Errors;

namespace Ambrosia.LogStore.Catalog;

/// <summary>For lists of entries: one that is damaged must not hide all others.</summary>
public static class CatalogRows
{
    /// <summary>Reads entries in their order.</summary>
    /// <param name="entries">What is read of them.</param>
    /// <param name="decode">Reads one; null if it has gone.</param>
    /// <param name="damaged">Is given the failure of each that cannot be read; null: the first one is thrown.</param>
    public static IReadOnlyList<CatalogRow> Of<T>(IEnumerable<T> entries, Func<T, CatalogRow?> decode,
        ICollection<LogStoreException>? damaged)
    {
        var rows = new List<CatalogRow>();
        foreach (T entry in entries)
        {
            try
            {
                if (decode(entry) is { } row)
                {
                    rows.Add(row);
                }
            }
            catch (LogStoreException failure) when (damaged is not null && failure.Error == StoreErrors.CatalogEntryDamaged)
            {
                damaged.Add(failure);
            }
        }

        return rows;
    }
}
