using System.Reflection;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Ambrosia.LogStore.Files.Posix;

/// <summary>
/// The C library calls behind the log, because .NET's own hide what they must not: FileStream.Flush(true) reports success when the sync
/// failed, FileShare is no writer lock, a folder cannot be synced at all. Symbols are resolved in the main program, so that a preloaded
/// shim sees every call.
/// </summary>
[SupportedOSPlatform("linux")]
internal static unsafe partial class Libc
{
    public const int ReadOnly = 0;
    public const int ReadWrite = 2;
    public const int Create = 0x40;
    public const int Exclusive = 0x80;
    public const int CloseOnExec = 0x80000;
    public const int LockShared = 1;
    public const int LockExclusive = 2;
    public const int LockNoWait = 4;
    public const int Unlock = 8;
    public const int SetLease = 1024;
    public const int WriteLease = 1;
    public const int NoLease = 2;
    public const int StatxSize = 256;
    public const int StatfsSize = 512;
    public const int CurrentFolder = -100;
    public const uint RenameNoReplace = 1;

    private const string Library = "ambrosia-main-program";

    static Libc() => NativeLibrary.SetDllImportResolver(typeof(Libc).Assembly, Resolve);

    // These two differ between processors of the same operating system.
    public static int Folder { get; } = IsArm ? 0x4000 : 0x10000;

    public static int NoFollow { get; } = IsArm ? 0x8000 : 0x20000;

    private static bool IsArm => RuntimeInformation.ProcessArchitecture is Architecture.Arm64 or Architecture.Arm;

    /// <summary>Error number of the last call on this thread.</summary>
    public static Errno LastError => (Errno)Marshal.GetLastPInvokeError();

    [LibraryImport(Library, EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Open(string path, int flags, uint mode);

    [LibraryImport(Library, EntryPoint = "close", SetLastError = true)]
    public static partial int Close(int descriptor);

    [LibraryImport(Library, EntryPoint = "pread", SetLastError = true)]
    public static partial nint ReadAt(int descriptor, byte* buffer, nuint count, long offset);

    [LibraryImport(Library, EntryPoint = "pwrite", SetLastError = true)]
    public static partial nint WriteAt(int descriptor, byte* buffer, nuint count, long offset);

    [LibraryImport(Library, EntryPoint = "fdatasync", SetLastError = true)]
    public static partial int SyncData(int descriptor);

    [LibraryImport(Library, EntryPoint = "fsync", SetLastError = true)]
    public static partial int Sync(int descriptor);

    [LibraryImport(Library, EntryPoint = "ftruncate", SetLastError = true)]
    public static partial int Truncate(int descriptor, long length);

    [LibraryImport(Library, EntryPoint = "fcntl", SetLastError = true)]
    public static partial int Control(int descriptor, int command, int argument);

    [LibraryImport(Library, EntryPoint = "flock", SetLastError = true)]
    public static partial int Lock(int descriptor, int operation);

    [LibraryImport(Library, EntryPoint = "rename", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Rename(string from, string to);

    [LibraryImport(Library, EntryPoint = "renameat2", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int RenameAt2(int fromFolder, string from, int toFolder, string to, uint flags);

    [LibraryImport(Library, EntryPoint = "link", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Link(string from, string to);

    [LibraryImport(Library, EntryPoint = "unlink", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Unlink(string path);

    [LibraryImport(Library, EntryPoint = "mkdir", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int MakeFolder(string path, uint mode);

    [LibraryImport(Library, EntryPoint = "rmdir", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int RemoveFolder(string path);

    [LibraryImport(Library, EntryPoint = "geteuid")]
    public static partial uint EffectiveUser();

    /// <summary>Fills the 256-byte statx structure, whose layout is the same on every processor.</summary>
    [LibraryImport(Library, EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Statx(int folder, string path, int flags, uint mask, byte* buffer);

    [LibraryImport(Library, EntryPoint = "statfs", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Statfs(string path, byte* buffer);

    /// <summary>Ends the process without unwinding, flushing or running anything.</summary>
    public static void ExitNow(int exitCode) => Exit(exitCode);

    /// <summary>Writes straight to descriptor 2: no stream that might be locked, buffered or redirected stands between.</summary>
    public static void WriteToStandardError(byte[] line)
    {
        fixed (byte* start = line)
        {
            // The process ends next; a closed standard error changes nothing about that.
            _ = Write(2, start, (nuint)line.Length);
        }
    }

    [LibraryImport(Library, EntryPoint = "write")]
    private static partial nint Write(int descriptor, byte* buffer, nuint count);

    [LibraryImport(Library, EntryPoint = "_exit")]
    private static partial void Exit(int exitCode);

    private static nint Resolve(string name, Assembly assembly, DllImportSearchPath? searchPath) =>
        name == Library ? NativeLibrary.GetMainProgramHandle() : 0;
}
