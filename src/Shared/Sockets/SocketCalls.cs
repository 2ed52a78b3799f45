using System.Runtime.InteropServices;

namespace Ambrosia.Shared.Sockets;

/// <summary>Socket calls of 64-bit Linux that a polled channel makes itself.</summary>
internal static unsafe partial class SocketCalls
{
    public const int DoNotWait = 0x40;
    public const int NoSignal = 0x4000;
    public const int Interrupted = 4;
    public const int WouldBlock = 11;
    public const int IsConnected = 106;
    public const int Already = 114;
    public const int InProgress = 115;

    private const string Library = "libc";

    [LibraryImport(Library, EntryPoint = "recv", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial nint Receive(SafeHandle socket, byte* buffer, nuint size, int flags);

    [LibraryImport(Library, EntryPoint = "sendmsg", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial nint Send(SafeHandle socket, MessageParts* message, int flags);

    [LibraryImport(Library, EntryPoint = "connect", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial int Connect(SafeHandle socket, byte* address, uint size);
}
