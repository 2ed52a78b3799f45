using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Ambrosia.Primitives.Sockets;

/// <summary>Calls of 64-bit Linux around sockets that .NET does not offer, or that a polled channel makes itself.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static unsafe partial class SocketCalls
{
    public const int DoNotWait = 0x40;
    public const int NoSignal = 0x4000;
    public const int Interrupted = 4;
    public const int WouldBlock = 11;
    public const int IsConnected = 106;
    public const int Already = 114;
    public const int InProgress = 115;

    private const string Library = "libc";

    [SupportedOSPlatform("linux")]
    [LibraryImport(Library, EntryPoint = "recv", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    internal static partial nint Receive(SafeHandle socket, byte* buffer, nuint size, int flags);

    [SupportedOSPlatform("linux")]
    [LibraryImport(Library, EntryPoint = "sendmsg", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    internal static partial nint Send(SafeHandle socket, MessageParts* message, int flags);

    [SupportedOSPlatform("linux")]
    [LibraryImport(Library, EntryPoint = "connect", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int ConnectTo(SafeHandle socket, byte* address, uint size);

    [SupportedOSPlatform("linux")]
    [LibraryImport(Library, EntryPoint = "geteuid")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial uint GetEffectiveUser();

    /// <summary>The user whose rights this process has.</summary>
    [SupportedOSPlatform("linux")]
    public static uint EffectiveUser() => GetEffectiveUser();

    /// <summary>Begins to connect a socket to an address as the system writes it. The error's number; 0 if it is connected.</summary>
    [SupportedOSPlatform("linux")]
    public static int Connect(SafeHandle socket, ReadOnlySpan<byte> address)
    {
        fixed (byte* bytes = address)
        {
            return ConnectTo(socket, bytes, (uint)address.Length) == 0 ? 0 : Marshal.GetLastPInvokeError();
        }
    }

    /// <summary>The number of a user; null if there is none of that name.</summary>
    [SupportedOSPlatform("linux")]
    public static uint? UserOf(string name)
    {
        nint found = GetUser(name);
        return found == 0 ? null : (uint)Marshal.ReadInt32(found, 2 * nint.Size); // struct passwd: name, password, number
    }

    /// <summary>Fills the 256-byte statx structure, whose layout is the same on every processor.</summary>
    [SupportedOSPlatform("linux")]
    [LibraryImport(Library, EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    internal static partial int Status(int folder, string path, int flags, uint fields, byte* buffer);

    [SupportedOSPlatform("linux")]
    [LibraryImport(Library, EntryPoint = "getpwnam", StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial nint GetUser(string name);
}
