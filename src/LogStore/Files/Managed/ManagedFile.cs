namespace Ambrosia.LogStore.Files.Managed;

/// <summary>One open file of <see cref="ManagedFileSystem"/>. Its lock is another file beside it.</summary>
internal sealed class ManagedFile(FileStream file, string path, bool writes, TimeProvider time) : IFile
{
    private ManagedLock? _lock;

    public string Path { get; } = path;

    /// <summary>What is known of a file without the system's own calls: its length.</summary>
    public static FileStatus StatusOf(long length) => new(Device: 0, Inode: 0, Links: 1, length);

    public ValueTask<int> ReadAsync(Memory<byte> destination, long offset) => new(ManagedErrors.Named("read", Path, () =>
    {
        int done = 0;
        while (done < destination.Length)
        {
            int count = RandomAccess.Read(file.SafeFileHandle, destination.Span[done..], offset + done);
            if (count == 0)
            {
                break;
            }

            done += count;
        }

        return done;
    }));

    public ValueTask WriteAsync(ReadOnlyMemory<byte> source, long offset)
    {
        ManagedErrors.Named("write", Path, () =>
        {
            RandomAccess.Write(file.SafeFileHandle, source.Span, offset);
            return true;
        });
        return default;
    }

    public ValueTask SyncDataAsync() => SyncAsync();

    // After writes that went through by themselves: for lengths, and for devices with a cache of their own.
    public ValueTask SyncAsync()
    {
        ManagedErrors.Named("flush", Path, () =>
        {
            RandomAccess.FlushToDisk(file.SafeFileHandle);
            return true;
        });
        return default;
    }

    public ValueTask TruncateAsync(long length)
    {
        ManagedErrors.Named("truncate", Path, () =>
        {
            RandomAccess.SetLength(file.SafeFileHandle, length);
            return true;
        });
        return default;
    }

    public ValueTask<FileStatus> StatAsync() =>
        new(ManagedErrors.Named("stat", Path, () => StatusOf(RandomAccess.GetLength(file.SafeFileHandle))));

    public ValueTask<bool> TryLockAsync()
    {
        if (!writes && !ManagedLock.Exists(Path))
        {
            return new ValueTask<bool>(true); // Nobody has ever locked it, and this one changes nothing.
        }

        _lock ??= ManagedLock.TryTake(Path, writes);
        return new ValueTask<bool>(_lock is not null);
    }

    /// <summary>No file is written again here while others may read it, so there is nothing to keep away.</summary>
    public ValueTask<bool> TryShareLockAsync() => new(true);

    public async ValueTask LockAsync(CancellationToken cancellationToken)
    {
        while ((_lock ??= ManagedLock.TryTake(Path, writes)) is null)
        {
            await Pause.ForAsync(ManagedLock.Look, time, cancellationToken);
        }
    }

    public ValueTask DisposeAsync()
    {
        _lock?.Dispose();
        file.Dispose();
        return default;
    }
}
