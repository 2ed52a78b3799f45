namespace Ambrosia.LogStore.Files.Memory;

/// <summary>The names on an in-memory disk: as processes see them, and as a power cut would leave them.</summary>
internal sealed class MemoryFolders
{
    private readonly Dictionary<string, List<(string Path, MemoryInode? Inode, string? From)>> _unsynced = [];
    private readonly Dictionary<string, MemoryInode> _durable = [];
    private readonly HashSet<string> _folders = ["/"];

    /// <summary>Every file by its full path.</summary>
    public Dictionary<string, MemoryInode> Files { get; } = [];

    /// <summary>What a name means after a power cut that keeps nothing of what was not synced.</summary>
    public IReadOnlyDictionary<string, MemoryInode> Durable => _durable;

    /// <summary>Changes that are not synced, by folder, in their order. A null file: removed. With a name it came from: a rename.</summary>
    public IReadOnlyDictionary<string, List<(string Path, MemoryInode? Inode, string? From)>> Unsynced => _unsynced;

    /// <summary>All folders.</summary>
    public IReadOnlyCollection<string> All => _folders;

    public bool Exists(string folder) => _folders.Contains(folder);

    public void Create(string folder)
    {
        // Folders are made durable at once: the store syncs their parents, and losing an empty folder loses nothing.
        for (string? path = folder; path is not null && _folders.Add(path); path = Path.GetDirectoryName(path))
        {
        }
    }

    /// <summary>Removes an empty folder, durably at once like its making; false when something is in it.</summary>
    public bool Delete(string folder)
    {
        if (List(folder).Count > 0)
        {
            return false;
        }

        _folders.Remove(folder);
        _unsynced.Remove(folder);
        foreach (string path in _durable.Keys.Where(path => Path.GetDirectoryName(path) == folder).ToArray())
        {
            _durable.Remove(path);
        }

        return true;
    }

    /// <summary>Changes what a name means; null removes it. A rename also removes the name it came from, in the same instant.</summary>
    public void Set(string path, MemoryInode? inode, string? from = null)
    {
        if (from is not null)
        {
            Files.Remove(from);
        }

        if (inode is null)
        {
            Files.Remove(path);
        }
        else
        {
            Files[path] = inode;
        }

        string folder = Path.GetDirectoryName(path)!;
        if (!_unsynced.TryGetValue(folder, out List<(string, MemoryInode?, string?)>? operations))
        {
            _unsynced[folder] = operations = [];
        }

        operations.Add((path, inode, from));
    }

    public void Sync(string folder)
    {
        if (_unsynced.Remove(folder, out List<(string Path, MemoryInode? Inode, string? From)>? operations))
        {
            operations.ForEach(Apply);
        }
    }

    public IReadOnlyList<string> List(string folder)
    {
        IEnumerable<string> entries = Files.Keys.Concat(_folders).Where(path => path != "/" && Path.GetDirectoryName(path) == folder);
        return [.. entries.Select(path => Path.GetFileName(path)).Order(StringComparer.Ordinal)];
    }

    /// <summary>Power cut: of each folder's unsynced changes only a first part survives, as with a journal.</summary>
    public void Crash(Random random)
    {
        foreach (string folder in _unsynced.Keys.Order(StringComparer.Ordinal).ToArray())
        {
            List<(string Path, MemoryInode? Inode, string? From)> operations = _unsynced[folder];
            foreach ((string Path, MemoryInode? Inode, string? From) operation in operations.Take(random.Next(operations.Count + 1)))
            {
                Apply(operation);
            }
        }

        _unsynced.Clear();
        Files.Clear();
        foreach ((string path, MemoryInode inode) in _durable)
        {
            Files.Add(path, inode);
        }
    }

    /// <summary>Copies names and contents as processes see them, durably.</summary>
    public void CopyTo(MemoryFolders target)
    {
        target._folders.UnionWith(_folders);
        var copies = new Dictionary<MemoryInode, MemoryInode>();
        foreach ((string path, MemoryInode inode) in Files)
        {
            if (!copies.TryGetValue(inode, out MemoryInode? copy))
            {
                copies[inode] = copy = inode.Clone();
            }

            target.Files[path] = copy;
            target._durable[path] = copy;
        }
    }

    private void Apply((string Path, MemoryInode? Inode, string? From) operation)
    {
        if (operation.From is not null)
        {
            _durable.Remove(operation.From);
        }

        if (operation.Inode is null)
        {
            _durable.Remove(operation.Path);
        }
        else
        {
            _durable[operation.Path] = operation.Inode;
        }
    }
}
