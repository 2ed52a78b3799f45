using System.Globalization;
using Ambrosia.LogStore.Files;

namespace Ambrosia.LogStore.Catalog;

/// <summary>One small JSON file per instance in the folder <c>.catalog</c>, replaced atomically under a lock that all processes of the machine share.</summary>
public sealed class FileCatalog : ICatalog
{
    private const string Suffix = ".json";
    private readonly IFileSystem _files;
    private readonly string _folder;

    /// <summary>The catalog below this root folder.</summary>
    public FileCatalog(IFileSystem files, string root) => (_files, _folder) = (files, Path.Combine(root, ".catalog"));

    public async ValueTask<CatalogRow?> GetAsync(string instance)
    {
        byte[]? bytes = await ReadAsync(InstanceName.Validate(instance));
        return bytes is null ? null : Decode(bytes, instance) ?? throw Damaged(instance);
    }

    public async ValueTask<string?> PutAsync(CatalogEntry entry, string? expectedVersion)
    {
        InstanceName.Validate(entry.Instance);
        await _files.CreateFolderAsync(_folder);
        await using IFile turn = await EnterAsync();
        byte[]? bytes = await ReadAsync(entry.Instance);
        // An entry that cannot be read counts as none: its instance writes it again, and nothing but a cached address was lost.
        CatalogRow? current = bytes is null ? null : Decode(bytes, entry.Instance);
        if (current?.Version != expectedVersion)
        {
            return null;
        }

        ulong version = current is null ? 1 : ulong.Parse(current.Version, CultureInfo.InvariantCulture) + 1;
        await FileReplacement.WriteAsync(_files, PathOf(entry.Instance), CatalogFile.Encode(entry, version));
        return Print(version);
    }

    public async ValueTask<bool> RemoveAsync(string instance, string? expectedVersion = null)
    {
        InstanceName.Validate(instance);
        if (await _files.StatAsync(_folder) is null)
        {
            return false;
        }

        await using IFile turn = await EnterAsync();
        if (expectedVersion is not null && (await GetAsync(instance))?.Version != expectedVersion)
        {
            return false;
        }

        bool removed = await _files.DeleteAsync(PathOf(instance));
        await _files.SyncFolderAsync(_folder);
        return removed;
    }

    public async ValueTask<IReadOnlyList<CatalogRow>> ListAsync()
    {
        var rows = new List<CatalogRow>();
        foreach (string name in await _files.ListAsync(_folder))
        {
            if (name.EndsWith(Suffix, StringComparison.Ordinal) && InstanceName.IsValid(name[..^Suffix.Length]) && await GetAsync(name[..^Suffix.Length]) is { } row)
            {
                rows.Add(row);
            }
        }

        return rows;
    }

    public ValueTask DisposeAsync() => default;

    private string PathOf(string instance) => Path.Combine(_folder, instance + Suffix);

    private ValueTask<byte[]?> ReadAsync(string instance) => FileReplacement.ReadAsync(_files, PathOf(instance), CatalogFile.MaxSize);

    private async ValueTask<IFile> EnterAsync()
    {
        IFile file = await _files.OpenAsync(Path.Combine(_folder, ".lock"), FileOpening.ReadWriteOrCreate);
        if (!await file.TryLockAsync())
        {
            await file.LockAsync(CancellationToken.None);
        }

        return file;
    }

    private static CatalogRow? Decode(byte[] bytes, string instance) =>
        CatalogFile.TryDecode(bytes, instance) is { } found ? new CatalogRow(found.Entry, Print(found.Version)) : null;

    private static string Print(ulong version) => version.ToString(CultureInfo.InvariantCulture);

    private LogStoreException Damaged(string instance) => new("IC-2050", LogExitCode.Damaged, $"the catalog's entry of '{instance}' is damaged", PathOf(instance), "no log is affected: the catalog only repeats what instances say",
        "delete the file; the instance writes it again when it starts");
}
