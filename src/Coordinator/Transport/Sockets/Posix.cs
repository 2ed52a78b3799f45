using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Ambrosia.Coordinator.Transport.Sockets;

/// <summary>The few system calls around sockets and processes that .NET does not offer.</summary>
[SupportedOSPlatform("linux")]
internal static partial class Posix
{
    public const int ReadWrite = 2;
    public const int Create = 0x40;
    public const int CloseOnExec = 0x80000;
    public const int LockExclusive = 2;
    public const int LockNoWait = 4;
    public const int WouldBlock = 11;
    public const uint SameOwner = uint.MaxValue; // -1 to chown
    private const int OpenFiles = 7;

    /// <summary>Opens no symbolic link.</summary>
    public static int NoFollow { get; } = RuntimeInformation.ProcessArchitecture is Architecture.Arm64 or Architecture.Arm ? 0x8000
        : 0x20000;

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Open(string path, int flags, uint mode);

    [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
    public static partial int Lock(int descriptor, int operation);

    [LibraryImport("libc", EntryPoint = "fchmod", SetLastError = true)]
    public static partial int ChangeMode(int descriptor, uint mode);

    [LibraryImport("libc", EntryPoint = "chown", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int ChangeOwner(string path, uint user, uint group);

    /// <summary>Files and sockets that this process may have open at once.</summary>
    public static long OpenFileLimit =>
        GetLimit(OpenFiles, out ResourceLimit limit) == 0 ? (long)Math.Min(limit.Current, long.MaxValue) : long.MaxValue;

    [LibraryImport("libc", EntryPoint = "pidfd_send_signal", SetLastError = true)]
    public static partial int SendSignal(Microsoft.Win32.SafeHandles.SafeFileHandle process, int signal, nint info, uint flags);

    [LibraryImport("libc", EntryPoint = "pidfd_open", SetLastError = true)]
    public static partial int OpenProcess(int process, uint flags);

    [LibraryImport("libc", EntryPoint = "ioctl", SetLastError = true)]
    public static partial int Control(Microsoft.Win32.SafeHandles.SafeFileHandle process, nuint request, ref PeerProcess.ProcessInfo info);

    [LibraryImport("libc", EntryPoint = "getrlimit")]
    private static partial int GetLimit(int resource, out ResourceLimit limit);

    [StructLayout(LayoutKind.Sequential)]
    private readonly struct ResourceLimit
    {
        public readonly ulong Current;
        public readonly ulong Most;
    }
}
