using System.Runtime.Versioning;

namespace Ambrosia.LogStore.Files.Posix;

/// <summary>
/// Waits for flock on a thread of its own with a descriptor of its own. flock can neither time out nor be called off: a cancelled wait
/// goes on in the background and gives the lock back in the moment it gets it.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class PosixLockWaiter(string path)
{
    private readonly TaskCompletionSource<int> _locked = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Returns a descriptor that holds the lock.</summary>
    public async Task<int> WaitAsync(CancellationToken cancellationToken)
    {
        int descriptor = PosixFileSystem.OpenDescriptor(path, Libc.ReadWrite | Libc.CloseOnExec | Libc.NoFollow);
        new Thread(() => Wait(descriptor)) { Name = "ambrosia lock", IsBackground = true }.Start();
        await using CancellationTokenRegistration registration =
            cancellationToken.Register(() => _locked.TrySetCanceled(cancellationToken));
        return await _locked.Task;
    }

    private void Wait(int descriptor)
    {
        while (Libc.Lock(descriptor, Libc.LockExclusive) != 0)
        {
            Errno error = Libc.LastError;
            if (error != Errno.EINTR)
            {
                _ = Libc.Close(descriptor);
                _locked.TrySetException(new FileFailedException("flock", path, error));
                return;
            }
        }

        if (!_locked.TrySetResult(descriptor))
        {
            _ = Libc.Lock(descriptor, Libc.Unlock); // As in PosixFile: a child that is just being forked must not keep it.
            _ = Libc.Close(descriptor);
        }
    }
}
