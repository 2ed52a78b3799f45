namespace Ambrosia.LogStore.Files.Memory;

/// <summary>
/// A disk in memory that keeps apart what was written and what was synced, so that a test can cut its power. Used as a file system it is
/// one process; <see cref="NewProcess"/> gives further ones, each of which can be killed alone.
/// </summary>
public sealed class MemoryFileSystem : IFileSystem
{
    private readonly MemoryProcess _main;
    private ulong _lastInode;

    /// <summary>An empty disk.</summary>
    public MemoryFileSystem() => _main = new MemoryProcess(this);

    /// <summary>
    /// Whether what was synced is kept apart, for <see cref="Crash"/>. Default true. Without it a disk takes half the memory and nothing
    /// survives a power cut.
    /// </summary>
    public bool KeepsPlatter { get; init; } = true;

    /// <summary>
    /// Whether it is a file system that cannot rename without replacing: a new name is a link then, and the old name goes in a second
    /// step. Default false.
    /// </summary>
    public bool LinksToRename { get; init; }

    /// <summary>What goes wrong; nothing by default.</summary>
    public IFileFaults? Faults { get; set; }

    /// <summary>Free bytes that the disk reports. Default 1 TiB.</summary>
    public long FreeBytes { get; set; } = 1L << 40;

    internal object Gate { get; } = new();

    internal MemoryFolders Folders { get; } = new();

    /// <summary>Counts power cuts; files opened before the last one fail.</summary>
    internal int Boot { get; private set; }

    /// <summary>Another process on the same disk: its own open files and locks.</summary>
    public MemoryProcess NewProcess() => new(this);

    /// <summary>Cuts the power: every open file dies, every lock is free, and of what was not synced an arbitrary part is left.</summary>
    public void Crash(Random random)
    {
        if (!KeepsPlatter)
        {
            throw new InvalidOperationException("This disk does not keep apart what a power cut would leave.");
        }

        lock (Gate)
        {
            Boot++;
            // Names first, in a stable order: the same seed must leave the same disk.
            MemoryInode[] inodes = [.. Folders.Files.Values.Distinct().OrderBy(static inode => inode.Id)];
            Folders.Crash(random);
            foreach (MemoryInode inode in inodes.Concat(Folders.Files.Values).Distinct().OrderBy(static inode => inode.Id))
            {
                inode.Crash(random);
            }
        }
    }

    /// <summary>Changes one byte of a file behind everyone's back: bit rot.</summary>
    public void FlipBits(string path, long offset, byte mask)
    {
        byte[] one = new byte[1];
        lock (Gate)
        {
            Folders.Files[path].Content.Read(one, offset);
        }

        one[0] ^= mask;
        Overwrite(path, offset, one);
    }

    /// <summary>Puts bytes into a file behind everyone's back, durably.</summary>
    public void Overwrite(string path, long offset, ReadOnlySpan<byte> bytes)
    {
        lock (Gate)
        {
            Folders.Files[path].Write(bytes, offset);
            Folders.Files[path].Sync();
        }
    }

    /// <summary>Names were made, changed or removed since their folder was synced: a power cut may undo that.</summary>
    public bool HasUnsyncedNames
    {
        get
        {
            lock (Gate)
            {
                return Folders.Unsynced.Count > 0;
            }
        }
    }

    /// <summary>The process that holds a file's lock; null if nobody does.</summary>
    internal MemoryProcess? HolderOf(string path)
    {
        lock (Gate)
        {
            return Folders.Files.TryGetValue(path, out MemoryInode? inode) ? inode.LockHolder?.Process : null;
        }
    }

    /// <summary>A whole file as processes see it.</summary>
    public byte[] ReadAll(string path)
    {
        lock (Gate)
        {
            SparseBytes content = Folders.Files[path].Content;
            byte[] bytes = new byte[content.Length];
            content.Read(bytes, 0);
            return bytes;
        }
    }

    /// <summary>Another disk with the same files, all of it synced; nothing is open there.</summary>
    public MemoryFileSystem Clone()
    {
        var copy = new MemoryFileSystem { FreeBytes = FreeBytes, KeepsPlatter = KeepsPlatter, LinksToRename = LinksToRename };
        lock (Gate)
        {
            copy._lastInode = _lastInode;
            Folders.CopyTo(copy.Folders);
        }

        return copy;
    }

    /// <summary>Puts a file with this content, and with one name or several, on the disk, durably.</summary>
    internal void Put(IEnumerable<string> paths, SparseBytes content)
    {
        lock (Gate)
        {
            var inode = new MemoryInode(++_lastInode, content);
            foreach (string path in paths)
            {
                Folders.Create(Path.GetDirectoryName(path)!);
                Folders.Set(path, inode);
                Folders.Sync(Path.GetDirectoryName(path)!);
            }
        }
    }

    /// <summary>Paths of all files in ordinal order.</summary>
    public IReadOnlyList<string> AllFiles()
    {
        lock (Gate)
        {
            return [.. Folders.Files.Keys.Order(StringComparer.Ordinal)];
        }
    }

    public ValueTask<IFile> OpenAsync(string path, FileOpening opening) => _main.OpenAsync(path, opening);

    public ValueTask CreateFolderAsync(string path) => _main.CreateFolderAsync(path);

    public ValueTask<bool> DeleteFolderAsync(string path) => _main.DeleteFolderAsync(path);

    public ValueTask RenameAsync(string from, string to) => _main.RenameAsync(from, to);

    public ValueTask<bool> TryRenameNewAsync(string from, string to) => _main.TryRenameNewAsync(from, to);

    public ValueTask<bool> DeleteAsync(string path) => _main.DeleteAsync(path);

    public ValueTask<IReadOnlyList<string>> ListAsync(string folder) => _main.ListAsync(folder);

    public ValueTask SyncFolderAsync(string folder) => _main.SyncFolderAsync(folder);

    public ValueTask<FileStatus?> StatAsync(string path) => _main.StatAsync(path);

    public ValueTask<VolumeStatus> VolumeAsync(string path) => _main.VolumeAsync(path);

    internal MemoryInode NewInode() => new(++_lastInode, KeepsPlatter);

    internal FileStatus StatusOf(MemoryInode inode) =>
        new(1, inode.Id, (uint)Folders.Files.Values.Count(other => ReferenceEquals(other, inode)), inode.Content.Length);
}
