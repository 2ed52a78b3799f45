using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Runtime.Versioning;

namespace Ambrosia.LogStore.Files.Posix;

/// <summary>The operating system's files through its C library. Needs 64-bit Linux.</summary>
[SupportedOSPlatform("linux")]
public sealed class PosixFileSystem : IFileSystem
{
    private const uint PrivateFile = 0x180; // 0600
    private const uint PrivateFolder = 0x1C0; // 0700
    private readonly ConcurrentDictionary<string, bool> _named = new(); // Folders whose names are known to be durable.

    /// <summary>Told of each folder that has been synced, for tests: nothing else shows what a power cut would have left.</summary>
    internal Action<string>? FolderSynced { get; init; }

    public ValueTask<IFile> OpenAsync(string path, FileOpening opening)
    {
        RequireSupport();
        int flags = Libc.CloseOnExec | Libc.NoFollow | opening switch
        {
            FileOpening.Read => Libc.ReadOnly,
            FileOpening.ReadWrite => Libc.ReadWrite,
            FileOpening.ReadWriteOrCreate => Libc.ReadWrite | Libc.Create,
            FileOpening.CreateNew => Libc.ReadWrite | Libc.Create | Libc.Exclusive,
            _ => throw new ArgumentOutOfRangeException(nameof(opening)),
        };
        return new ValueTask<IFile>(new PosixFile(OpenDescriptor(path, flags), path));
    }

    public ValueTask CreateFolderAsync(string path)
    {
        RequireSupport();
        CreateFolder(Path.TrimEndingDirectorySeparator(Path.GetFullPath(path)));
        return default;
    }

    public ValueTask<bool> DeleteFolderAsync(string path)
    {
        RequireSupport();
        _named.TryRemove(Path.TrimEndingDirectorySeparator(Path.GetFullPath(path)), out _);
        if (Libc.RemoveFolder(path) == 0)
        {
            return new ValueTask<bool>(true);
        }

        return Libc.LastError switch
        {
            Errno.ENOENT => new ValueTask<bool>(true),
            Errno.ENOTEMPTY or Errno.EEXIST => new ValueTask<bool>(false),
            Errno error => throw new FileFailedException("rmdir", path, error),
        };
    }

    public ValueTask RenameAsync(string from, string to)
    {
        Check(Libc.Rename(from, to), "rename", to);
        return default;
    }

    public ValueTask<bool> TryRenameNewAsync(string from, string to)
    {
        if (Libc.RenameAt2(Libc.CurrentFolder, from, Libc.CurrentFolder, to, Libc.RenameNoReplace) == 0)
        {
            return new ValueTask<bool>(true);
        }

        return Libc.LastError switch
        {
            Errno.EEXIST => new ValueTask<bool>(false),
            // File systems without the flag: a hard link is refused in the same way when the name is taken.
            Errno.EINVAL or Errno.ENOSYS => new ValueTask<bool>(TryLinkThenUnlink(from, to)),
            Errno error => throw new FileFailedException("renameat2", to, error),
        };
    }

    public ValueTask<bool> DeleteAsync(string path)
    {
        RequireSupport();
        if (Libc.Unlink(path) == 0)
        {
            return new ValueTask<bool>(true);
        }

        Errno error = Libc.LastError;
        return error == Errno.ENOENT ? new ValueTask<bool>(false) : throw new FileFailedException("unlink", path, error);
    }

    public async ValueTask<bool> DeleteLongAsync(string path)
    {
        using var remains = PosixRemains.Keep(path);
        bool deleted = await DeleteAsync(path);
        remains?.LetGo();
        return deleted;
    }

    public async ValueTask<IReadOnlyList<string>> ListAsync(string folder)
    {
        if (await StatAsync(folder) is null)
        {
            return [];
        }

        try
        {
            string[] names = [.. Directory.EnumerateFileSystemEntries(folder).Select(Path.GetFileName).OfType<string>()];
            Array.Sort(names, StringComparer.Ordinal);
            return names;
        }
        catch (DirectoryNotFoundException)
        {
            return []; // Removed between the two calls.
        }
        catch (UnauthorizedAccessException)
        {
            throw new FileFailedException("readdir", folder, Errno.EACCES);
        }
        catch (IOException error)
        {
            throw new FileFailedException("readdir", folder, (Errno)error.HResult); // On Unix the system's error number.
        }
    }

    public ValueTask SyncFolderAsync(string folder)
    {
        RequireSupport();
        SyncFolder(folder);
        return default;
    }

    public ValueTask<FileStatus?> StatAsync(string path)
    {
        RequireSupport();
        return new ValueTask<FileStatus?>(PosixStatus.OfPath(path));
    }

    public unsafe ValueTask<VolumeStatus> VolumeAsync(string path)
    {
        RequireSupport();
        byte* buffer = stackalloc byte[Libc.StatfsSize];
        Check(Libc.Statfs(path, buffer), "statfs", path);
        // All 64-bit processors begin alike: type, block size, blocks, free blocks, blocks free to us.
        var fields = new ReadOnlySpan<byte>(buffer, 40);
        long type = BinaryPrimitives.ReadInt64LittleEndian(fields);
        long free = BinaryPrimitives.ReadInt64LittleEndian(fields[8..]) * BinaryPrimitives.ReadInt64LittleEndian(fields[32..]);
        return new ValueTask<VolumeStatus>(PosixVolumes.Describe(type & 0xFFFFFFFF, free));
    }

    /// <summary>Opens a descriptor; the caller owns it.</summary>
    internal static int OpenDescriptor(string path, int flags)
    {
        while (true)
        {
            int descriptor = Libc.Open(path, flags, PrivateFile);
            if (descriptor >= 0)
            {
                return descriptor;
            }

            Errno error = Libc.LastError;
            if (error != Errno.EINTR)
            {
                throw new FileFailedException("open", path, error);
            }
        }
    }

    // Tried again only as often as a folder above may be removed meanwhile: a file system such as /proc says for ever that there is none.
    private void CreateFolder(string path, int tries = 3)
    {
        if (Libc.MakeFolder(path, PrivateFolder) == 0)
        {
            _named.TryRemove(path, out _);
            SyncName(path);
            return;
        }

        Errno error = Libc.LastError;
        if (error == Errno.ENOENT && tries > 0 && Path.GetDirectoryName(path) is { } parent)
        {
            CreateFolder(parent, tries);
            CreateFolder(path, tries - 1);
        }
        else if (error == Errno.EEXIST)
        {
            SyncName(path);
        }
        else
        {
            throw new FileFailedException("mkdir", path, error);
        }
    }

    /// <summary>
    /// Makes the names of a folder and of those above it durable, once in a life: a predecessor may have been killed between making one
    /// and syncing its parent, and what is built on it would go with it when the
    /// power does. Only folders as we make them: what others have made is theirs.
    /// </summary>
    private void SyncName(string path)
    {
        if (_named.ContainsKey(path) || Path.GetDirectoryName(path) is not { } parent || !PosixStatus.IsOwnFolder(path, PrivateFolder))
        {
            return;
        }

        if (!TrySyncFolder(parent))
        {
            return;
        }

        SyncName(parent);
        _named[path] = true;
    }

    /// <summary>False when we may not even open it: then the name in it was made by somebody else.</summary>
    private bool TrySyncFolder(string folder)
    {
        try
        {
            SyncFolder(folder);
            return true;
        }
        catch (FileFailedException error) when (error is { Call: "open", Error: Errno.EACCES })
        {
            return false;
        }
    }

    private void SyncFolder(string folder)
    {
        int descriptor = OpenDescriptor(folder, Libc.ReadOnly | Libc.Folder | Libc.CloseOnExec);
        int result = Libc.Sync(descriptor);
        Errno error = Libc.LastError;
        _ = Libc.Close(descriptor); // Opened for reading only: closing it cannot lose anything.
        if (result != 0)
        {
            throw new FileFailedException("fsync", folder, error);
        }

        FolderSynced?.Invoke(folder);
    }

    private static bool TryLinkThenUnlink(string from, string to)
    {
        if (Libc.Link(from, to) != 0)
        {
            Errno error = Libc.LastError;
            return error == Errno.EEXIST ? false : throw new FileFailedException("link", to, error);
        }

        Check(Libc.Unlink(from), "unlink", from);
        return true;
    }

    private static void Check(int result, string call, string path)
    {
        if (result != 0)
        {
            throw new FileFailedException(call, path, Libc.LastError);
        }
    }

    private static void RequireSupport()
    {
        if (!OperatingSystem.IsLinux() || !Environment.Is64BitProcess)
        {
            throw new FileStoresUnsupportedException();
        }
    }
}
