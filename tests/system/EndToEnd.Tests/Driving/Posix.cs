using System.Runtime.InteropServices;

namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>Signals that .NET's Process cannot send.</summary>
internal static class Posix
{
    public const int Terminate = 15;
    public const int Interrupt = 2;
    public const int SignalKill = 9;
    public const int Stop = 19;
    public const int Continue = 18;

    [DllImport("libc", EntryPoint = "kill", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern int Kill(int process, int signal);
}
