using System.Runtime.InteropServices;

namespace Ambrosia.PowerCut.Tests.Volumes;

/// <summary>The system calls that mount, cut and unmount.</summary>
internal static unsafe partial class Kernel
{
    public const int ReadOnly = 0;
    public const int ReadWrite = 2;
    public const int CloseOnExec = 0x80000;
    public const int Busy = 16;
    public const int SeekData = 3;
    public const int SeekHole = 4;

    public static int Error => Marshal.GetLastPInvokeError();

    public static string Reason => Marshal.GetPInvokeErrorMessage(Error);

    [LibraryImport("libc", EntryPoint = "mount", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int Mount(string source, string target, string kind, ulong flags, string options);

    [LibraryImport("libc", EntryPoint = "umount2", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int Unmount(string target, int flags);

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int Open(string path, int flags, uint mode);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int Close(int descriptor);

    [LibraryImport("libc", EntryPoint = "ioctl", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int Control(int descriptor, nuint request, void* argument);

    [LibraryImport("libc", EntryPoint = "lseek", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial long Seek(int descriptor, long offset, int whence);

    [LibraryImport("libc", EntryPoint = "copy_file_range", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial long CopyRange(int from, ref long fromOffset, int to, ref long toOffset, nuint count, uint flags);

    [LibraryImport("libc", EntryPoint = "sync_file_range", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int SyncRange(int descriptor, long offset, long count, uint flags);
}
