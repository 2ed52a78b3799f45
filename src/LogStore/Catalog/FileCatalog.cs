using System.Globalization;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;

namespace Ambrosia.LogStore.Catalog;

/// <summary>
/// One small JSON file per instance in the folder <c>.catalog</c>, replaced atomically by one process of the machine at a time.
/// </summary>
public sealed class FileCatalog : ICatalog
{
    private const string Suffix = ".json";
    private readonly IFileSystem _files;
    private readonly string _folder;

    private readonly TimeProvider _time;

    /// <summary>The catalog below this root folder.</summary>
    public FileCatalog(IFileSystem files, string root, TimeProvider time) =>
        (_files, _folder, _time) = (files, Path.Combine(root, ".catalog"), time);

    /// <summary>
    /// How long one process may keep all others from changing entries, before it is ignored. A change takes a few milliseconds; a
    /// stopped process takes for ever.
    /// </summary>
    internal TimeSpan Patience { get; init; } = TimeSpan.FromSeconds(5);

    public async ValueTask<CatalogRow?> GetAsync(string instance)
    {
        byte[]? bytes = await ReadAsync(InstanceName.Validate(instance));
        return bytes is null ? null : Decode(bytes, instance) ?? throw Damaged(instance);
    }

    public async ValueTask<string?> PutAsync(CatalogEntry entry, string? expectedVersion)
    {
        InstanceName.Validate(entry.Instance);
        await _files.CreateFolderAsync(_folder);
        while (true)
        {
            await using CatalogTurn turn = await EnterAsync();
            byte[]? bytes = await ReadAsync(entry.Instance);
            // An entry that cannot be read counts as none: its instance writes it again, and nothing but a cached address was lost.
            CatalogRow? current = bytes is null ? null : Decode(bytes, entry.Instance);
            if (current?.Version != expectedVersion)
            {
                return null;
            }

            ulong version = current is null ? 1 : ulong.Parse(current.Version, CultureInfo.InvariantCulture) + 1;
            if (await turn.TryReplaceAsync(PathOf(entry.Instance), CatalogFile.Encode(entry, version)))
            {
                return Print(version);
            }
        }
    }

    public async ValueTask<bool> RemoveAsync(string instance, string? expectedVersion = null)
    {
        InstanceName.Validate(instance);
        if (await _files.StatAsync(_folder) is null)
        {
            return false;
        }

        while (true)
        {
            await using CatalogTurn turn = await EnterAsync();
            if (expectedVersion is not null && (await GetAsync(instance))?.Version != expectedVersion)
            {
                return false;
            }

            if (await turn.TryRemoveAsync(PathOf(instance)) is { } removed)
            {
                return removed;
            }
        }
    }

    public async ValueTask<IReadOnlyList<CatalogRow>> ListAsync(ICollection<LogStoreException>? damaged = null)
    {
        var entries = new List<(string Instance, byte[] Bytes)>();
        foreach (string name in await _files.ListAsync(_folder))
        {
            if (name.EndsWith(Suffix, StringComparison.Ordinal) && name[..^Suffix.Length] is var instance && InstanceName.IsValid(instance)
                && await ReadAsync(instance) is { } bytes)
            {
                entries.Add((instance, bytes));
            }
        }

        return CatalogRows.Of(entries, entry => Decode(entry.Bytes, entry.Instance) ?? throw Damaged(entry.Instance), damaged);
    }

    public ValueTask DisposeAsync() => default;

    private string PathOf(string instance) => Path.Combine(_folder, instance + Suffix);

    private ValueTask<byte[]?> ReadAsync(string instance) => FileReplacement.ReadAsync(_files, PathOf(instance), CatalogFile.MaxSize);

    private ValueTask<CatalogTurn> EnterAsync() => CatalogTurn.EnterAsync(_files, _folder, _time, Patience);

    private static CatalogRow? Decode(byte[] bytes, string instance) =>
        CatalogFile.TryDecode(bytes, instance) is { } found ? new CatalogRow(found.Entry, Print(found.Version)) : null;

    private static string Print(ulong version) => version.ToString(CultureInfo.InvariantCulture);

    private LogStoreException Damaged(string instance) =>
        new(StoreErrors.CatalogEntryDamaged, $"the catalog's entry of '{instance}' is damaged", PathOf(instance),
            "no log is affected: the catalog only repeats what instances say",
        "start the instance again, which writes it anew, or delete the file");
}
