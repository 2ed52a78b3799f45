namespace Ambrosia.LogStore.Files.Memory;

/// <summary>One process's view of an in-memory disk. Killing it closes its files and frees its locks; what it wrote stays.</summary>
public sealed class MemoryProcess : IFileSystem
{
    private readonly MemoryFileSystem _disk;
    private readonly List<MemoryFile> _open = [];

    internal MemoryProcess(MemoryFileSystem disk) => _disk = disk;

    /// <summary>Set by <see cref="Kill"/>: every later call fails.</summary>
    public bool IsKilled { get; private set; }

    internal MemoryFileSystem Disk => _disk;

    /// <summary>kill -9: the operating system closes what the process had open.</summary>
    public void Kill()
    {
        MemoryFile[] open;
        lock (_disk.Gate)
        {
            IsKilled = true;
            open = [.. _open];
        }

        foreach (MemoryFile file in open)
        {
            file.Close();
        }
    }

    public async ValueTask<IFile> OpenAsync(string path, FileOpening opening)
    {
        await BeforeAsync(FileCallKind.Open, path);
        lock (_disk.Gate)
        {
            bool exists = _disk.Folders.Files.TryGetValue(path, out MemoryInode? inode);
            if (exists ? opening == FileOpening.CreateNew : opening is FileOpening.Read or FileOpening.ReadWrite)
            {
                throw new FileFailedException("open", path, exists ? Errno.EEXIST : Errno.ENOENT);
            }

            if (inode is null)
            {
                RequireFolder("open", path);
                _disk.Folders.Set(path, inode = _disk.NewInode());
            }

            var file = new MemoryFile(this, inode, path);
            _open.Add(file);
            return file;
        }
    }

    public async ValueTask CreateFolderAsync(string path)
    {
        await BeforeAsync(FileCallKind.CreateFolder, path);
        lock (_disk.Gate)
        {
            _disk.Folders.Create(path);
        }
    }

    public async ValueTask<bool> DeleteFolderAsync(string path)
    {
        await BeforeAsync(FileCallKind.Delete, path);
        lock (_disk.Gate)
        {
            return _disk.Folders.Delete(path);
        }
    }

    public async ValueTask RenameAsync(string from, string to)
    {
        await BeforeAsync(FileCallKind.Rename, to);
        lock (_disk.Gate)
        {
            Move(from, to);
        }
    }

    public async ValueTask<bool> TryRenameNewAsync(string from, string to)
    {
        await BeforeAsync(FileCallKind.Rename, to);
        lock (_disk.Gate)
        {
            if (_disk.Folders.Files.ContainsKey(to))
            {
                return false;
            }

            Move(from, to, keepsOldName: _disk.LinksToRename);
        }

        return !_disk.LinksToRename || await DeleteAsync(from);
    }

    public async ValueTask<bool> DeleteAsync(string path)
    {
        await BeforeAsync(FileCallKind.Delete, path);
        lock (_disk.Gate)
        {
            if (!_disk.Folders.Files.ContainsKey(path))
            {
                return false;
            }

            _disk.Folders.Set(path, null);
            return true;
        }
    }

    public async ValueTask<IReadOnlyList<string>> ListAsync(string folder)
    {
        await BeforeAsync(FileCallKind.List, folder);
        lock (_disk.Gate)
        {
            return _disk.Folders.List(folder);
        }
    }

    public async ValueTask SyncFolderAsync(string folder)
    {
        await BeforeAsync(FileCallKind.SyncFolder, folder);
        lock (_disk.Gate)
        {
            _disk.Folders.Sync(folder);
        }
    }

    public async ValueTask<FileStatus?> StatAsync(string path)
    {
        await BeforeAsync(FileCallKind.Stat, path);
        lock (_disk.Gate)
        {
            return _disk.Folders.Files.TryGetValue(path, out MemoryInode? inode) ? _disk.StatusOf(inode)
                : _disk.Folders.Exists(path) ? new FileStatus(1, 0, 1, 0) : null;
        }
    }

    public ValueTask<VolumeStatus> VolumeAsync(string path) => new(new VolumeStatus("memory", false, _disk.FreeBytes));

    /// <summary>Lets the fault injector act; returns how many bytes a failing write still takes, through its callback.</summary>
    internal async ValueTask BeforeAsync(FileCallKind kind, string path, long offset = 0, int length = 0, Action<int>? takePart = null)
    {
        RequireLife(kind, path);
        if (_disk.Faults is not { } faults)
        {
            return;
        }

        FileFault fault = await faults.BeforeAsync(new FileCall(kind, path, offset, length));
        RequireLife(kind, path); // The process may have been killed while its disk stalled.
        if (fault.Error is { } error)
        {
            takePart?.Invoke(Math.Min(fault.BytesWritten, length));
            throw new FileFailedException(kind.ToString(), path, error);
        }
    }

    internal void Forget(MemoryFile file) => _open.Remove(file);

    private void RequireLife(FileCallKind kind, string path)
    {
        if (IsKilled)
        {
            throw new FileFailedException(kind.ToString(), path, Errno.EBADF);
        }
    }

    private void RequireFolder(string call, string path)
    {
        if (!_disk.Folders.Exists(Path.GetDirectoryName(path)!))
        {
            throw new FileFailedException(call, path, Errno.ENOENT);
        }
    }

    private void Move(string from, string to, bool keepsOldName = false)
    {
        if (!_disk.Folders.Files.TryGetValue(from, out MemoryInode? inode))
        {
            throw new FileFailedException("rename", from, Errno.ENOENT);
        }

        RequireFolder("rename", to);
        _disk.Folders.Set(to, inode, keepsOldName ? null : from);
    }
}
