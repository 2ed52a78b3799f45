using System.Globalization;
using System.Text;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;

namespace Ambrosia.LogStore.Azure;

/// <summary>
/// One entity per instance, replaced only while it has the mark (ETag) that it had when its version was looked at. The entry is the text that a catalog of files would hold.
/// </summary>
internal sealed class TableCatalog(TableClient table, string location) : ICatalog
{
    public async ValueTask<CatalogRow?> GetAsync(string instance)
    {
        InstanceName.Validate(instance);
        return await table.GetAsync(instance) is { } found ? Decode(instance, found.Entry) : null;
    }

    public async ValueTask<string?> PutAsync(CatalogEntry entry, string? expectedVersion)
    {
        InstanceName.Validate(entry.Instance);
        ulong expected = expectedVersion is null ? 0 : ulong.Parse(expectedVersion, CultureInfo.InvariantCulture);
        string text = Encoding.UTF8.GetString(CatalogFile.Encode(entry, expected + 1));
        bool done;
        if (expectedVersion is null)
        {
            done = await table.InsertAsync(entry.Instance, text);
        }
        else
        {
            done = await table.GetAsync(entry.Instance) is { } seen && CatalogFile.TryDecode(Encoding.UTF8.GetBytes(seen.Entry), entry.Instance)?.Version == expected
                && await table.ReplaceAsync(entry.Instance, text, seen.Mark);
        }

        // Refused, and yet there: that was an earlier attempt of this very call, whose answer was lost.
        return done || (await table.GetAsync(entry.Instance))?.Entry == text ? Print(expected + 1) : null;
    }

    public async ValueTask<bool> RemoveAsync(string instance, string? expectedVersion = null)
    {
        InstanceName.Validate(instance);
        while (await table.GetAsync(instance) is { } seen)
        {
            if (expectedVersion is not null && (CatalogFile.TryDecode(Encoding.UTF8.GetBytes(seen.Entry), instance) is not { } entry || Print(entry.Version) != expectedVersion))
            {
                return false;
            }

            if (await table.RemoveAsync(instance, seen.Mark) || await table.GetAsync(instance) is null)
            {
                return true; // Gone, be it by an attempt of ours whose answer was lost.
            }
        }

        return false;
    }

    public async ValueTask<IReadOnlyList<CatalogRow>> ListAsync() => [.. (await table.ListAsync()).OrderBy(static found => found.Row, StringComparer.Ordinal).Select(found => Decode(found.Row, found.Entry))];

    public ValueTask DisposeAsync() => default;

    private static string Print(ulong version) => version.ToString(CultureInfo.InvariantCulture);

    private CatalogRow Decode(string instance, string entry) => CatalogFile.TryDecode(Encoding.UTF8.GetBytes(entry), instance) is { } found
        ? new CatalogRow(found.Entry, Print(found.Version))
        : throw new LogStoreException("IC-2050", LogExitCode.Damaged, $"the catalog's entry of '{instance}' is damaged", location,
            "no log is affected: the catalog only repeats what instances say", "delete the entity; the instance writes it again when it starts");
}
