using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Ambrosia.Primitives.Loops;

/// <summary>Linux's calls for waiting on many descriptors at once.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static unsafe partial class Epoll
{
    public const int CloseOnExec = 0x80000;
    public const int NonBlocking = 0x800;
    public const int Add = 1;
    public const uint Readable = 0x1;
    public const uint Writable = 0x4;
    public const uint Error = 0x8;
    public const uint HangUp = 0x10;
    public const uint PeerHangUp = 0x2000;
    public const uint EdgeTriggered = 1u << 31;

    private const string Library = "libc";

    /// <summary>Bytes of struct epoll_event, which is packed on x86-64 alone.</summary>
    public static int EventSize { get; } = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 12 : 16;

    /// <summary>Where its user data stands.</summary>
    public static int DataOffset => EventSize - sizeof(ulong);

    [SupportedOSPlatform("linux")]
    [LibraryImport(Library, EntryPoint = "epoll_create1", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int Create(int flags);

    [SupportedOSPlatform("linux")]
    [LibraryImport(Library, EntryPoint = "epoll_ctl", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int Control(int epoll, int operation, SafeHandle descriptor, byte* epollEvent);

    [SupportedOSPlatform("linux")]
    [LibraryImport(Library, EntryPoint = "epoll_ctl", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int Control(int epoll, int operation, int descriptor, byte* epollEvent);

    [SupportedOSPlatform("linux")]
    [LibraryImport(Library, EntryPoint = "epoll_wait", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int Wait(int epoll, byte* events, int capacity, int milliseconds);

    [SupportedOSPlatform("linux")]
    [LibraryImport(Library, EntryPoint = "eventfd", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int CreateEvent(uint count, int flags);

    [SupportedOSPlatform("linux")]
    [LibraryImport(Library, EntryPoint = "eventfd_write", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int SignalEvent(int descriptor, ulong count);

    [SupportedOSPlatform("linux")]
    [LibraryImport(Library, EntryPoint = "eventfd_read", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int ClearEvent(int descriptor, ulong* count);

    [SupportedOSPlatform("linux")]
    [LibraryImport(Library, EntryPoint = "close", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int Close(int descriptor);
}
