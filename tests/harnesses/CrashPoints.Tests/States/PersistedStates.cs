using Ambrosia.LogStore.Files.Memory;

namespace Ambrosia.CrashPoints.Tests.States;

/// <summary>
/// What a power cut at this instant may leave of a disk. Of each folder's unsynced changes a first part survives, as with a journal. Of
/// each file's unsynced writes each survives or not, whatever became of earlier ones; or in part: up to a sector, some sectors, some
/// blocks, only its length (zeros), or with other bytes in its place. All of it when that is few, else a draw.
/// </summary>
internal sealed class PersistedStates
{
    private const int Sector = 512;
    private const int Block = 4096;
    private const byte Stale = 0xA5;
    private readonly MemoryFileSystem _disk;
    private readonly List<(string Folder, int Changes)> _folders = [];
    private readonly List<(MemoryInode Inode, int Operation, int Fates)> _writes = [];

    public PersistedStates(MemoryFileSystem disk)
    {
        _disk = disk;
        foreach ((string folder, var changes) in disk.Folders.Unsynced.OrderBy(entry => entry.Key, StringComparer.Ordinal))
        {
            _folders.Add((folder, changes.Count));
        }

        IEnumerable<MemoryInode> named = disk.Folders.Durable.Values.Concat(disk.Folders.Unsynced.Values.SelectMany(changes => changes)
            .Select(change => change.Inode).OfType<MemoryInode>());
        foreach (MemoryInode inode in named.Distinct().OrderBy(inode => inode.Id))
        {
            for (int i = 0; i < inode.Unsynced.Count; i++)
            {
                _writes.Add((inode, i, FatesOf(inode.Unsynced[i])));
            }
        }
    }

    /// <summary>Number of combinations, without draws of sectors; capped.</summary>
    public long Combinations
    {
        get
        {
            long all = 1;
            foreach (int options in _folders.Select(folder => folder.Changes + 1).Concat(_writes.Select(write => write.Fates)))
            {
                all = Math.Min(1 << 20, all * options);
            }

            return all;
        }
    }

    /// <summary>At most so many different-looking choices; some may leave equal disks.</summary>
    public IEnumerable<MemoryFileSystem> Enumerate(int most, Random random)
    {
        long all = Combinations;
        if (all <= most)
        {
            for (long choice = 0; choice < all; choice++)
            {
                yield return Make(new FixedChoices(choice));
            }
        }
        else
        {
            yield return Make(new FixedChoices(0)); // Nothing of it survives.
            for (int i = 1; i < most; i++)
            {
                yield return Make(new DrawnChoices(random));
            }
        }
    }

    private static int FatesOf((long Offset, byte[]? Bytes) write) => write.Bytes is null ? 2 : write.Bytes.Length <= Sector ? 4 : 8;

    private MemoryFileSystem Make(IChoices choices)
    {
        var state = new MemoryFileSystem { LinksToRename = _disk.LinksToRename };
        foreach (string folder in _disk.Folders.All)
        {
            state.Folders.Create(folder);
        }

        var names = new Dictionary<string, MemoryInode>(_disk.Folders.Durable);
        foreach ((string folder, int changes) in _folders)
        {
            foreach ((string path, MemoryInode? inode, string? from) in _disk.Folders.Unsynced[folder].Take(choices.Next(changes + 1)))
            {
                Apply(names, path, inode, from);
            }
        }

        var contents = new Dictionary<MemoryInode, SparseBytes>();
        foreach ((MemoryInode inode, int operation, int fates) in _writes)
        {
            if (!contents.TryGetValue(inode, out SparseBytes? content))
            {
                contents[inode] = content = inode.Durable.Clone();
            }

            (long offset, byte[]? bytes) = inode.Unsynced[operation];
            Persist(content, offset, bytes, choices.Next(fates), choices);
        }

        IEnumerable<KeyValuePair<string, MemoryInode>> sorted = names.OrderBy(static name => name.Key, StringComparer.Ordinal);
        foreach (IGrouping<MemoryInode, string> file in sorted.GroupBy(static name => name.Value, static name => name.Key))
        {
            state.Put(file, contents.GetValueOrDefault(file.Key) ?? file.Key.Durable.Clone());
        }

        return state;
    }

    private static void Apply(Dictionary<string, MemoryInode> names, string path, MemoryInode? inode, string? from)
    {
        if (from is not null)
        {
            names.Remove(from);
        }

        if (inode is null)
        {
            names.Remove(path);
        }
        else
        {
            names[path] = inode;
        }
    }

    private static void Persist(SparseBytes content, long offset, byte[]? bytes, int fate, IChoices choices)
    {
        if (bytes is null)
        {
            if (fate == 1)
            {
                content.Truncate(offset);
            }

            return;
        }

        switch (fate)
        {
            case 0:
                break;
            case 1:
                content.Write(bytes, offset);
                break;
            case 2: // The file grew, its new bytes did not arrive.
                Grow(content, offset, bytes.Length, 0);
                break;
            case 3: // The same, where an older life of the blocks shows through.
                Grow(content, offset, bytes.Length, Stale);
                break;
            case 4:
                content.Write(bytes.AsSpan(0, UpTo(offset, bytes.Length, choices)), offset);
                break;
            case 5:
                int from = UpTo(offset, bytes.Length, choices);
                content.Write(bytes.AsSpan(from), offset + from);
                break;
            default:
                KeepSome(content, offset, bytes, fate == 6 ? Sector : Block, choices);
                break;
        }
    }

    private static void Grow(SparseBytes content, long offset, int length, byte value)
    {
        long from = Math.Max(offset, content.Length);
        if (from < offset + length)
        {
            byte[] filling = new byte[offset + length - from];
            Array.Fill(filling, value);
            content.Write(filling, from);
        }
    }

    // Pieces end where the device's sectors end, not where the write began.
    private static int UpTo(long offset, int length, IChoices choices)
    {
        long firstEnd = (offset / Sector + 1) * Sector - offset;
        int sectors = (int)((length - firstEnd + Sector - 1) / Sector);
        return (int)Math.Min(length, firstEnd + (long)choices.Draw(Math.Max(1, sectors)) * Sector);
    }

    private static void KeepSome(SparseBytes content, long offset, byte[] bytes, int unit, IChoices choices)
    {
        for (int start = 0; start < bytes.Length;)
        {
            int end = (int)Math.Min(bytes.Length, ((offset + start) / unit + 1) * unit - offset);
            if (choices.Draw(2) == 1)
            {
                content.Write(bytes.AsSpan(start, end - start), offset + start);
            }

            start = end;
        }
    }
}
