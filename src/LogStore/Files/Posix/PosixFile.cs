using System.Runtime.Versioning;

namespace Ambrosia.LogStore.Files.Posix;

/// <summary>One descriptor, kept open from creation to the end: the kernel reports write errors per descriptor.</summary>
[SupportedOSPlatform("linux")]
internal sealed class PosixFile(int descriptor, string path) : IFile
{
    private int _descriptor = descriptor;
    private bool _locked;

    public string Path { get; } = path;

    public unsafe ValueTask<int> ReadAsync(Memory<byte> destination, long offset)
    {
        int done = 0;
        fixed (byte* start = destination.Span)
        {
            while (done < destination.Length)
            {
                nint count = Libc.ReadAt(Descriptor, start + done, (nuint)(destination.Length - done), offset + done);
                if (count == 0)
                {
                    break;
                }

                done += count > 0 ? (int)count : RetryOnlyIfInterrupted("pread");
            }
        }

        return new ValueTask<int>(done);
    }

    public unsafe ValueTask WriteAsync(ReadOnlyMemory<byte> source, long offset)
    {
        int done = 0;
        fixed (byte* start = source.Span)
        {
            while (done < source.Length)
            {
                // A short write is no error: the next round meets the reason, if there is one.
                nint count = Libc.WriteAt(Descriptor, start + done, (nuint)(source.Length - done), offset + done);
                done += count > 0 ? (int)count : count == 0 ? throw new FileFailedException("pwrite", Path, Errno.EIO)
                    : RetryOnlyIfInterrupted("pwrite");
            }
        }

        return default;
    }

    public ValueTask SyncDataAsync()
    {
        // Not even after EINTR is a sync repeated: the kernel may have dropped the dirty pages together with reporting.
        if (Libc.SyncData(Descriptor) != 0)
        {
            throw new FileFailedException("fdatasync", Path, Libc.LastError);
        }

        return default;
    }

    public ValueTask SyncAsync()
    {
        if (Libc.Sync(Descriptor) != 0)
        {
            throw new FileFailedException("fsync", Path, Libc.LastError);
        }

        return default;
    }

    public ValueTask TruncateAsync(long length)
    {
        while (Libc.Truncate(Descriptor, length) != 0)
        {
            RetryOnlyIfInterrupted("ftruncate");
        }

        return default;
    }

    public ValueTask<FileStatus> StatAsync() => new(PosixStatus.OfDescriptor(Descriptor, Path));

    public ValueTask<bool> TryLockAsync() => TryLockAsync(Libc.LockExclusive);

    public ValueTask<bool> TryShareLockAsync() => TryLockAsync(Libc.LockShared);

    public async ValueTask LockAsync(CancellationToken cancellationToken)
    {
        var waiter = new PosixLockWaiter(Path);
        int locked = await waiter.WaitAsync(cancellationToken);
        // The lock belongs to the descriptor that waited; ours, unlocked, is given up for it.
        int unlocked = Interlocked.Exchange(ref _descriptor, locked);
        _locked = true;
        _ = Libc.Close(unlocked);
    }

    public ValueTask DisposeAsync()
    {
        int descriptor = Interlocked.Exchange(ref _descriptor, -1);
        if (descriptor >= 0 && _locked)
        {
            // Closing is not enough: a child that was forked and has not yet come to its exec shares the lock. Unlocking ends it for both.
            _ = Libc.Lock(descriptor, Libc.Unlock);
        }

        if (descriptor >= 0 && Libc.Close(descriptor) != 0 && Libc.LastError is not Errno.EINTR)
        {
            throw new FileFailedException("close", Path, Libc.LastError);
        }

        return default;
    }

    private ValueTask<bool> TryLockAsync(int kind)
    {
        while (Libc.Lock(Descriptor, kind | Libc.LockNoWait) != 0)
        {
            if (Libc.LastError == Errno.EAGAIN)
            {
                return new ValueTask<bool>(false);
            }

            RetryOnlyIfInterrupted("flock");
        }

        _locked = true;
        return new ValueTask<bool>(true);
    }

    private int Descriptor => _descriptor >= 0 ? _descriptor : throw new ObjectDisposedException(Path);

    private int RetryOnlyIfInterrupted(string call)
    {
        Errno error = Libc.LastError;
        return error == Errno.EINTR ? 0 : throw new FileFailedException(call, Path, error);
    }
}
