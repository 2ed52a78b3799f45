using System.Globalization;
using System.Text;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;

namespace Ambrosia.LogStore.Storage.Local;

/// <summary>
/// An exclusive flock on the file <c>lock</c> in the instance's folder. The kernel frees it in the instant its process dies. The file is
/// never deleted: two processes could otherwise lock two files of one name. Its content names the last holder, for people and for a
/// promotion that must end it.
/// </summary>
internal sealed class LocalLease(IFileSystem files, IFile file, string holder, bool isDescribed) : ILogLease
{
    public const string BeatSuffix = ".beat";

    private IFile? _beatFile;
    private long _beats;
    private bool _isDescribed = isDescribed;

    public string Holder { get; } = holder;

    public CancellationToken Lost => CancellationToken.None;

    /// <summary>Takes the lock; null when it is held and there is to be no waiting.</summary>
    public static async ValueTask<LocalLease?> AcquireAsync(IFileSystem files, string path, string holder, bool wait,
        CancellationToken cancellationToken)
    {
        while (true)
        {
            IFile file;
            try
            {
                file = await files.OpenAsync(path, FileOpening.ReadWriteOrCreate);
            }
            catch (FileFailedException error) when (error.Error == Errno.EAGAIN && !wait)
            {
                return null; // Held in a way by which it cannot even be opened here: by a process with locks of another kind.
            }

            try
            {
                if (!await LockAsync(file, wait, cancellationToken))
                {
                    await file.DisposeAsync();
                    return null;
                }

                // Between open and lock somebody may have put another file in its place: then the lock is on the wrong one.
                if (await IsNamedAsync(files, file))
                {
                    return new LocalLease(files, file, holder, await DescribeHolderAsync(files, file, holder));
                }
            }
            catch (Exception error) when (error is IOException or OperationCanceledException)
            {
                await file.DisposeAsync();
                throw;
            }

            await file.DisposeAsync();
        }
    }

    public async ValueTask VerifyAsync()
    {
        if (!await IsNamedAsync(files, file))
        {
            throw new LeaseLostException(LeadershipErrors.LockFileReplaced, "the lock file was deleted or replaced while the lock was held",
                file.Path);
        }
    }

    /// <summary>In a file beside the lock, overwritten in place and never synced: it is of interest only while the machine runs.</summary>
    public async ValueTask BeatAsync()
    {
        // Nobody could end a holder that stands still as long as the file names another one.
        _isDescribed = _isDescribed || await DescribeHolderAsync(files, file, Holder);
        byte[] text = Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{Holder} beat {++_beats:d19}\n"));
        try
        {
            _beatFile ??= await files.OpenAsync(file.Path + BeatSuffix, FileOpening.ReadWriteOrCreate);
            await _beatFile.WriteAsync(text, 0);
            await _beatFile.TruncateAsync(text.Length);
        }
        catch (FileFailedException error) when (_beats == 1 && error.Error is Errno.ENOSPC or Errno.EDQUOT)
        {
            _beats = 0; // A holder that has never beaten is not taken to have stopped.
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_beatFile is not null)
        {
            await _beatFile.DisposeAsync();
        }

        await file.DisposeAsync();
    }

    private static async ValueTask<bool> LockAsync(IFile file, bool wait, CancellationToken cancellationToken)
    {
        try
        {
            if (await file.TryLockAsync())
            {
                return true;
            }

            if (wait)
            {
                await file.LockAsync(cancellationToken);
            }

            return wait;
        }
        catch (FileFailedException error)
        {
            throw new LeaseLostException(LeadershipErrors.LeaseNotProved, $"the lock cannot be taken ({error.Error})", file.Path, error);
        }
    }

    private static async ValueTask<bool> IsNamedAsync(IFileSystem files, IFile file)
    {
        FileStatus held = await file.StatAsync();
        return await files.StatAsync(file.Path) is { } named && named.IsSameFile(held);
    }

    private static async ValueTask<bool> DescribeHolderAsync(IFileSystem files, IFile file, string holder)
    {
        byte[] text = Encoding.UTF8.GetBytes(holder + "\n");
        try
        {
            await file.WriteAsync(text, 0);
            await file.TruncateAsync(text.Length);
            await files.SyncFolderAsync(Path.GetDirectoryName(file.Path)!);
            return true;
        }
        catch (FileFailedException error) when (error.Error is Errno.ENOSPC or Errno.EDQUOT)
        {
            // A full disk must not keep an instance from starting and trimming its log; only the diagnosis is lost, until there is room.
            return false;
        }
    }
}
