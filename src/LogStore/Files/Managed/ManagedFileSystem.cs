namespace Ambrosia.LogStore.Files.Managed;

/// <summary>
/// Files as the runtime offers them on every system. A killed process loses nothing. A power cut may: names of files and folders cannot be
/// synced, and on Linux and macOS the runtime reports success when a sync failed. So each write goes through to the device by itself, and
/// its own failure is reported. No file has an identity here: one that takes the place of another is taken for it.
/// </summary>
public sealed class ManagedFileSystem(TimeProvider time) : IFileSystem
{
    private const UnixFileMode PrivateFile = UnixFileMode.UserRead | UnixFileMode.UserWrite;
    private const int Renames = 50;
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(20);

    /// <summary>On the system's clock.</summary>
    public ManagedFileSystem()
        : this(TimeProvider.System)
    {
    }

    /// <inheritdoc/>
    public bool LocksFollowFiles => false;

    /// <inheritdoc/>
    public ValueTask<IFile> OpenAsync(string path, FileOpening opening)
    {
        RequireSupport();
        return new ValueTask<IFile>(ManagedErrors.Named("open", path, () =>
        {
            RefuseLink(path);
            bool writes = opening != FileOpening.Read;
            var options = new FileStreamOptions
            {
                Mode = opening switch
                {
                    FileOpening.Read or FileOpening.ReadWrite => FileMode.Open,
                    FileOpening.ReadWriteOrCreate => FileMode.OpenOrCreate,
                    FileOpening.CreateNew => FileMode.CreateNew,
                    _ => throw new ArgumentOutOfRangeException(nameof(opening)),
                },
                Access = writes ? FileAccess.ReadWrite : FileAccess.Read,
                Share = FileShare.ReadWrite | FileShare.Delete,
                Options = writes ? FileOptions.WriteThrough : FileOptions.None,
                BufferSize = 0,
            };
            if (!OperatingSystem.IsWindows() && options.Mode != FileMode.Open)
            {
                options.UnixCreateMode = PrivateFile;
            }

            return new ManagedFile(new FileStream(path, options), path, writes, time);
        }));
    }

    /// <inheritdoc/>
    public ValueTask CreateFolderAsync(string path)
    {
        RequireSupport();
        ManagedErrors.Named("mkdir", path, () => OperatingSystem.IsWindows()
            ? Directory.CreateDirectory(path)
            : Directory.CreateDirectory(path, PrivateFile | UnixFileMode.UserExecute));
        return default;
    }

    /// <inheritdoc/>
    public ValueTask<bool> DeleteFolderAsync(string path)
    {
        RequireSupport();
        try
        {
            ManagedErrors.Named("rmdir", path, () =>
            {
                Directory.Delete(path);
                return true;
            });
            return new ValueTask<bool>(true);
        }
        catch (FileFailedException error) when (error.Error is Errno.ENOENT or Errno.ENOTEMPTY or Errno.EEXIST)
        {
            return new ValueTask<bool>(error.Error == Errno.ENOENT);
        }
    }

    /// <inheritdoc/>
    public async ValueTask RenameAsync(string from, string to)
    {
        RequireSupport();
        for (int left = Renames; ; left--)
        {
            try
            {
                Move(from, to, overwrite: true);
                return;
            }
            catch (FileFailedException error) when (OperatingSystem.IsWindows() && left > 0 && error.Error is Errno.EACCES or Errno.EAGAIN)
            {
                // Windows replaces no file that somebody is just reading.
                await Pause.ForAsync(s_look, time);
            }
        }
    }

    /// <inheritdoc/>
    public ValueTask<bool> TryRenameNewAsync(string from, string to)
    {
        RequireSupport();
        try
        {
            // Outside of Windows the runtime looks first and renames then: the lock keeps every other writer away in between.
            Move(from, to, overwrite: false);
            return new ValueTask<bool>(true);
        }
        catch (FileFailedException error) when (error.Error == Errno.EEXIST)
        {
            return new ValueTask<bool>(false);
        }
    }

    /// <inheritdoc/>
    public ValueTask<bool> DeleteAsync(string path)
    {
        RequireSupport();
        return new ValueTask<bool>(ManagedErrors.Named("unlink", path, () =>
        {
            bool isThere = File.Exists(path);
            File.Delete(path);
            return isThere;
        }));
    }

    /// <inheritdoc/>
    public ValueTask<IReadOnlyList<string>> ListAsync(string folder)
    {
        RequireSupport();
        return new ValueTask<IReadOnlyList<string>>(ManagedErrors.Named("readdir", folder, () =>
        {
            try
            {
                string[] names = [.. Directory.EnumerateFileSystemEntries(folder).Select(Path.GetFileName).OfType<string>()
                    .Where(static name => !name.EndsWith(ManagedLock.Suffix, StringComparison.Ordinal))];
                Array.Sort(names, StringComparer.Ordinal);
                return names;
            }
            catch (DirectoryNotFoundException)
            {
                return [];
            }
        }));
    }

    /// <summary>Does nothing: the runtime cannot open a folder.</summary>
    public ValueTask SyncFolderAsync(string folder) => default;

    /// <inheritdoc/>
    public ValueTask<FileStatus?> StatAsync(string path)
    {
        RequireSupport();
        var file = new FileInfo(path);
        return new ValueTask<FileStatus?>(file.Exists ? ManagedFile.StatusOf(file.Length)
            : file.LinkTarget is not null || Directory.Exists(path) ? ManagedFile.StatusOf(0) : null);
    }

    /// <inheritdoc/>
    public ValueTask<VolumeStatus> VolumeAsync(string path)
    {
        RequireSupport();
        string full = Path.GetFullPath(path);
        if (OperatingSystem.IsWindows() && full.StartsWith(@"\\", StringComparison.Ordinal))
        {
            return new ValueTask<VolumeStatus>(new VolumeStatus("share", IsNetwork: true, long.MaxValue)); // It has no drive to be asked.
        }

        return new ValueTask<VolumeStatus>(ManagedErrors.Named("statfs", path, () =>
        {
            var drive = new DriveInfo(OperatingSystem.IsWindows() ? Path.GetPathRoot(full)! : full);
            return new VolumeStatus(drive.DriveFormat, drive.DriveType == DriveType.Network, drive.AvailableFreeSpace);
        }));
    }

    private static void Move(string from, string to, bool overwrite) => ManagedErrors.Named("rename", to, () =>
    {
        File.Move(from, to, overwrite);
        return true;
    });

    // Looked at before: a link that somebody makes in between is followed. Only a user that may write to the folder can do that.
    private static void RefuseLink(string path)
    {
        if (new FileInfo(path).LinkTarget is not null)
        {
            throw new FileFailedException("open", path, Errno.ELOOP);
        }
    }

    private static void RequireSupport()
    {
        if (!Platform.IsKnown)
        {
            throw new FileStoresUnsupportedException();
        }
    }
}
