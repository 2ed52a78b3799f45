namespace Ambrosia.LogStore.Files.Memory;

/// <summary>An open file of an in-memory disk.</summary>
internal sealed class MemoryFile : IFile
{
    private readonly MemoryProcess _process;
    private readonly MemoryInode _inode;
    private readonly int _boot;
    private bool _closed;

    public MemoryFile(MemoryProcess process, MemoryInode inode, string path)
    {
        (_process, _inode, Path) = (process, inode, path);
        _boot = process.Disk.Boot;
    }

    public string Path { get; }

    /// <summary>The process that opened it.</summary>
    public MemoryProcess Process => _process;

    private object Gate => _process.Disk.Gate;

    public async ValueTask<int> ReadAsync(Memory<byte> destination, long offset)
    {
        await _process.BeforeAsync(FileCallKind.Read, Path, offset, destination.Length);
        lock (Gate)
        {
            RequireOpen("pread");
            return _inode.Content.Read(destination.Span, offset);
        }
    }

    public async ValueTask WriteAsync(ReadOnlyMemory<byte> source, long offset)
    {
        await _process.BeforeAsync(FileCallKind.Write, Path, offset, source.Length, count => WriteNow(source[..count], offset));
        WriteNow(source, offset);
    }

    public ValueTask SyncDataAsync() => SyncAsync(FileCallKind.SyncData);

    public ValueTask SyncAsync() => SyncAsync(FileCallKind.Sync);

    public async ValueTask TruncateAsync(long length)
    {
        await _process.BeforeAsync(FileCallKind.Truncate, Path, length);
        lock (Gate)
        {
            RequireOpen("ftruncate");
            _inode.Truncate(length);
        }
    }

    public async ValueTask<FileStatus> StatAsync()
    {
        await _process.BeforeAsync(FileCallKind.Stat, Path);
        lock (Gate)
        {
            RequireOpen("fstat");
            return _process.Disk.StatusOf(_inode);
        }
    }

    public async ValueTask<bool> TryLockAsync()
    {
        await _process.BeforeAsync(FileCallKind.Lock, Path);
        lock (Gate)
        {
            RequireOpen("flock");
            if (_inode.LockSharers.Any(sharer => !ReferenceEquals(sharer, this)))
            {
                return false;
            }

            _inode.LockHolder ??= this;
            return ReferenceEquals(_inode.LockHolder, this);
        }
    }

    public async ValueTask<bool> TryShareLockAsync()
    {
        await _process.BeforeAsync(FileCallKind.Lock, Path);
        lock (Gate)
        {
            RequireOpen("flock");
            if (_inode.LockHolder is not null)
            {
                return false;
            }

            _inode.LockSharers.Add(this);
            return true;
        }
    }

    public async ValueTask LockAsync(CancellationToken cancellationToken)
    {
        while (!await TryLockAsync())
        {
            var freed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            lock (Gate)
            {
                if (_inode.LockHolder is null && _inode.LockSharers.Count == 0)
                {
                    continue;
                }

                _inode.LockWaiters.AddLast(freed);
            }

            await using CancellationTokenRegistration registration =
                cancellationToken.Register(() => freed.TrySetCanceled(cancellationToken));
            await freed.Task;
        }
    }

    public ValueTask DisposeAsync()
    {
        Close();
        return default;
    }

    /// <summary>What the operating system does when the file or its process ends.</summary>
    public void Close()
    {
        lock (Gate)
        {
            if (_closed)
            {
                return;
            }

            _closed = true;
            _process.Forget(this);
            if (!_inode.LockSharers.Remove(this) && !ReferenceEquals(_inode.LockHolder, this))
            {
                return;
            }

            _inode.LockHolder = ReferenceEquals(_inode.LockHolder, this) ? null : _inode.LockHolder;
            while (_inode.LockWaiters.First is { } first)
            {
                _inode.LockWaiters.RemoveFirst();
                first.Value.TrySetResult();
            }
        }
    }

    private async ValueTask SyncAsync(FileCallKind kind)
    {
        await _process.BeforeAsync(kind, Path);
        lock (Gate)
        {
            RequireOpen("fsync");
            _inode.Sync();
        }
    }

    private void WriteNow(ReadOnlyMemory<byte> source, long offset)
    {
        lock (Gate)
        {
            RequireOpen("pwrite");
            _inode.Write(source.Span, offset);
        }
    }

    private void RequireOpen(string call)
    {
        if (_closed || _boot != _process.Disk.Boot)
        {
            throw new FileFailedException(call, Path, Errno.EBADF);
        }
    }
}
