namespace Ambrosia.LogStore.Files.Managed;

/// <summary>What the runtime throws, as the error numbers of Linux by which the log store decides.</summary>
public static class ManagedErrors
{
    /// <summary>Executes a call; every failure of it is a <see cref="FileFailedException"/>.</summary>
    public static T Named<T>(string call, string path, Func<T> act)
    {
        try
        {
            return act();
        }
        catch (Exception error) when (error is (IOException and not FileFailedException) or UnauthorizedAccessException)
        {
            throw new FileFailedException(call, path, error is DirectoryNotFoundException && IsBelowFile(path) ? Errno.ENOTDIR : Of(error));
        }
    }

    /// <summary>The number that says the same.</summary>
    public static Errno Of(Exception error) => error switch
    {
        FileNotFoundException or DirectoryNotFoundException or DriveNotFoundException => Errno.ENOENT,
        UnauthorizedAccessException => Errno.EACCES,
        _ when OperatingSystem.IsWindows() => OfWindows(error.HResult & 0xFFFF),
        _ when OperatingSystem.IsMacOS() => OfMac(error.HResult),
        _ => (Errno)error.HResult,
    };

    // The runtime says of both that a part of the path was not found; only one of them can be made.
    private static bool IsBelowFile(string path)
    {
        string? above = Path.GetDirectoryName(path);
        while (above is not null && !Directory.Exists(above) && !File.Exists(above))
        {
            above = Path.GetDirectoryName(above);
        }

        return above is not null && File.Exists(above);
    }

    /// <summary>For an error number of Windows.</summary>
    public static Errno OfWindows(int code) => code switch
    {
        2 or 3 => Errno.ENOENT,
        4 => Errno.EMFILE,
        5 => Errno.EACCES,
        19 => Errno.EROFS, // ERROR_WRITE_PROTECT
        32 or 33 => Errno.EAGAIN, // Sharing and lock violation.
        39 or 112 => Errno.ENOSPC, // ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL
        80 or 183 => Errno.EEXIST,
        145 => Errno.ENOTEMPTY,
        1295 => Errno.EDQUOT, // ERROR_DISK_QUOTA_EXCEEDED
        _ => Errno.EIO,
    };

    /// <summary>For an error number of macOS, where it is another one than on Linux.</summary>
    public static Errno OfMac(int code) => code switch
    {
        35 => Errno.EAGAIN,
        45 => Errno.EOPNOTSUPP,
        62 => Errno.ELOOP,
        66 => Errno.ENOTEMPTY,
        69 => Errno.EDQUOT,
        70 => Errno.ESTALE,
        77 => Errno.ENOLCK,
        78 => Errno.ENOSYS,
        _ => (Errno)code,
    };
}
