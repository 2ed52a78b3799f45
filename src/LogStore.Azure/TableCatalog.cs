using System.Globalization;
using System.Text;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Azure;
using Azure.Data.Tables;

namespace Ambrosia.LogStore.Azure;

/// <summary>
/// One entity per instance, all in one partition, replaced only while it has the mark (ETag) that it had when its version was looked at.
/// The entry is the text that a catalog of files would hold.
/// </summary>
internal sealed class TableCatalog(AzureAccount account) : ICatalog
{
    /// <summary>The partition of all entities.</summary>
    public const string Partition = "ambrosia";

    /// <summary>The property that holds the text.</summary>
    public const string Text = "Entry";

    private const string OfPartition = $"PartitionKey eq '{Partition}'";
    private readonly Lazy<TableClient> _table = new(account.OpenTable);

    public async ValueTask<CatalogRow?> GetAsync(string instance)
    {
        InstanceName.Validate(instance);
        return await FindAsync(instance) is { } found ? Decode(instance, found.Text) : null;
    }

    public async ValueTask<string?> PutAsync(CatalogEntry entry, string? expectedVersion)
    {
        InstanceName.Validate(entry.Instance);
        ulong expected = expectedVersion is null ? 0 : ulong.Parse(expectedVersion, CultureInfo.InvariantCulture);
        string text = Encoding.UTF8.GetString(CatalogFile.Encode(entry, expected + 1));
        bool done;
        if (expectedVersion is null)
        {
            // One that cannot be read counts as none: its instance writes it again, and nothing but a cached address was lost.
            done = await InsertAsync(entry.Instance, text) || (await FindAsync(entry.Instance) is { } there
                && VersionOf(there.Text, entry.Instance) is null && await ReplaceAsync(entry.Instance, text, there.Mark));
        }
        else
        {
            done = await FindAsync(entry.Instance) is { } seen && VersionOf(seen.Text, entry.Instance) == Print(expected)
                && await ReplaceAsync(entry.Instance, text, seen.Mark);
        }

        // Refused, and yet there: that was an earlier attempt of this very call, whose answer was lost.
        return done || (await FindAsync(entry.Instance))?.Text == text ? Print(expected + 1) : null;
    }

    public async ValueTask<bool> RemoveAsync(string instance, string? expectedVersion = null)
    {
        InstanceName.Validate(instance);
        while (await FindAsync(instance) is { } seen)
        {
            if (expectedVersion is not null && VersionOf(seen.Text, instance) != expectedVersion)
            {
                return false;
            }

            if (await RemoveUnchangedAsync(instance, seen.Mark) || await FindAsync(instance) is null)
            {
                return true; // Gone, be it by an attempt of ours whose answer was lost.
            }
        }

        return false;
    }

    public async ValueTask<IReadOnlyList<CatalogRow>> ListAsync(ICollection<LogStoreException>? damaged = null)
    {
        var found = new List<TableEntity>();
        string? next = "";
        while (next is not null)
        {
            next = await account.TryAsync(() => ListPageAsync(found, next));
        }

        IEnumerable<TableEntity> inOrder = found.OrderBy(static entity => entity.RowKey, StringComparer.Ordinal);
        return CatalogRows.Of(inOrder, entity => Decode(entity.RowKey, TextOf(entity)), damaged);
    }

    public ValueTask DisposeAsync() => default;

    /// <summary>The text of an entity and the mark that changes with it; null when there is none.</summary>
    private ValueTask<(string Text, ETag Mark)?> FindAsync(string instance) => account.TryAsync<(string, ETag)?>(async () =>
    {
        NullableResponse<TableEntity> found = await _table.Value.GetEntityIfExistsAsync<TableEntity>(Partition, instance);
        return found.HasValue ? (TextOf(found.Value!), found.Value!.ETag) : null;
    });

    /// <summary>Makes an entity, and the table if it is missing; false when there is one.</summary>
    private ValueTask<bool> InsertAsync(string instance, string text) => account.TryAsync(async () =>
    {
        try
        {
            return await TryInsertAsync(instance, text);
        }
        catch (RequestFailedException error) when (error.Status == 404)
        {
            await _table.Value.CreateIfNotExistsAsync();
            return await TryInsertAsync(instance, text);
        }
    });

    private async ValueTask<bool> TryInsertAsync(string instance, string text)
    {
        try
        {
            await _table.Value.AddEntityAsync(EntityOf(instance, text));
            return true;
        }
        catch (RequestFailedException error) when (error.Status == 409 && !AzureAccount.IsPassing(error))
        {
            return false;
        }
    }

    /// <summary>Replaces an entity that still has this mark; else nothing.</summary>
    private ValueTask<bool> ReplaceAsync(string instance, string text, ETag mark) => account.TryAsync(async () =>
    {
        try
        {
            await _table.Value.UpdateEntityAsync(EntityOf(instance, text), mark, TableUpdateMode.Replace);
            return true;
        }
        catch (RequestFailedException error) when (error.Status is 404 or 412)
        {
            return false;
        }
    });

    /// <summary>Removes an entity that still has this mark; else nothing.</summary>
    private ValueTask<bool> RemoveUnchangedAsync(string instance, ETag mark) => account.TryAsync(async () =>
    {
        try
        {
            return (await _table.Value.DeleteEntityAsync(Partition, instance, mark)).Status != 404;
        }
        catch (RequestFailedException error) when (error.Status is 404 or 412)
        {
            return false;
        }
    });

    /// <summary>
    /// Adds one answer's entities to those that were found; what to ask for next, null after the last. None when there is no table.
    /// </summary>
    private async ValueTask<string?> ListPageAsync(List<TableEntity> found, string after)
    {
        try
        {
            AsyncPageable<TableEntity> all = _table.Value.QueryAsync<TableEntity>(OfPartition);
            await foreach (Page<TableEntity> page in all.AsPages(after.Length == 0 ? null : after))
            {
                found.AddRange(page.Values);
                return page.ContinuationToken;
            }
        }
        catch (RequestFailedException error) when (error.Status == 404)
        {
            // No table, or not any more.
        }

        return null;
    }

    private static TableEntity EntityOf(string instance, string text) => new(Partition, instance) { [Text] = text };

    private static string TextOf(TableEntity entity) => entity.TryGetValue(Text, out object? text) ? text as string ?? "" : "";

    private static string Print(ulong version) => version.ToString(CultureInfo.InvariantCulture);

    /// <summary>The version in an entry; null when it is damaged.</summary>
    private static string? VersionOf(string text, string instance) =>
        CatalogFile.TryDecode(Encoding.UTF8.GetBytes(text), instance) is { } found ? Print(found.Version) : null;

    private CatalogRow Decode(string instance, string text) => CatalogFile.TryDecode(Encoding.UTF8.GetBytes(text), instance) is { } found
        ? new CatalogRow(found.Entry, Print(found.Version))
        : throw new LogStoreException(
            StoreErrors.CatalogEntryDamaged, $"the catalog's entry of '{instance}' is damaged", account.Address.Location,
            "no log is affected: the catalog only repeats what instances say",
            "start the instance again, which writes it anew, or delete the entity");
}
