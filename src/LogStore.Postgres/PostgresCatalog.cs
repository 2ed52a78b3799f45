using System.Globalization;
using System.Text;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;

namespace Ambrosia.LogStore.Postgres;

/// <summary>
/// One row per instance in the table <c>catalog</c>, changed only if its version is the one that was seen. The entry is the text that a
/// catalog of files would hold.
/// </summary>
internal sealed class PostgresCatalog(PostgresDatabase database) : ICatalog
{
    private readonly string _table = $"{database.Schema}.catalog";
    private bool _isPrepared;

    public async ValueTask<CatalogRow?> GetAsync(string instance)
    {
        InstanceName.Validate(instance);
        IReadOnlyList<CatalogRow> rows = await SelectAsync(
            $"select instance, entry from {_table} where instance = $1", damaged: null, instance);
        return rows is [var row] ? row : null;
    }

    public async ValueTask<string?> PutAsync(CatalogEntry entry, string? expectedVersion)
    {
        InstanceName.Validate(entry.Instance);
        if (!_isPrepared)
        {
            await PostgresTables.PrepareAsync(database);
            _isPrepared = true;
        }

        ulong expected = expectedVersion is null ? 0 : ulong.Parse(expectedVersion, CultureInfo.InvariantCulture);
        string text = Encoding.UTF8.GetString(CatalogFile.Encode(entry, expected + 1));
        int changed = expectedVersion is null
            ? await InsertAsync(entry.Instance, text)
            : await database.ExecuteAsync($"update {_table} set version = $2 + 1, entry = $3 where instance = $1 and version = $2",
                entry.Instance, (long)expected, text);
        return changed == 1 ? Print(expected + 1) : null;
    }

    /// <summary>
    /// Makes an entry if there is none. One that cannot be read counts as none: its instance writes it again, and nothing but a cached
    /// address was lost.
    /// </summary>
    private async ValueTask<int> InsertAsync(string instance, string text)
    {
        int changed = await database.ExecuteAsync($"insert into {_table} values ($1, 1, $2) on conflict do nothing", instance, text);
        return changed == 0 && await database.ScalarAsync($"select entry from {_table} where instance = $1", instance) is string there
            && CatalogFile.TryDecode(Encoding.UTF8.GetBytes(there), instance) is null
            ? await database.ExecuteAsync($"update {_table} set version = 1, entry = $2 where instance = $1 and entry = $3", instance, text,
                there)
            : changed;
    }

    public async ValueTask<bool> RemoveAsync(string instance, string? expectedVersion = null)
    {
        InstanceName.Validate(instance);
        try
        {
            return await database.ExecuteAsync($"delete from {_table} where instance = $1 and ($2 = '' or version::text = $2)", instance,
                expectedVersion ?? "") == 1;
        }
        catch (LogStoreException error) when (PostgresTables.IsMissing(error))
        {
            return false;
        }
    }

    // By the bytes of the name, as everywhere: what the database's language would sort otherwise.
    public async ValueTask<IReadOnlyList<CatalogRow>> ListAsync(ICollection<LogStoreException>? damaged = null) =>
        await SelectAsync($"select instance, entry from {_table} order by instance collate \"C\"", damaged);

    public ValueTask DisposeAsync() => database.DisposeAsync();

    private static string Print(ulong version) => version.ToString(CultureInfo.InvariantCulture);

    private async ValueTask<IReadOnlyList<CatalogRow>> SelectAsync(string text, ICollection<LogStoreException>? damaged,
        params object[] values)
    {
        try
        {
            List<(string Instance, string Entry)> rows =
                await database.QueryAsync(static row => (row.GetString(0), row.GetString(1)), text, values);
            return CatalogRows.Of(rows, row => Decode(row.Instance, row.Entry), damaged);
        }
        catch (LogStoreException error) when (PostgresTables.IsMissing(error))
        {
            return [];
        }
    }

    private CatalogRow Decode(string instance, string entry) => CatalogFile.TryDecode(Encoding.UTF8.GetBytes(entry), instance) is { } found
        ? new CatalogRow(found.Entry, Print(found.Version))
        : throw new LogStoreException(StoreErrors.CatalogEntryDamaged, $"the catalog's entry of '{instance}' is damaged",
            $"{database.Address.Location} table {_table}",
            "no log is affected: the catalog only repeats what instances say",
            "start the instance again, which writes it anew, or delete the row");
}
