using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Ambrosia.ImmortalCoordinator.Fate;

/// <summary>System calls around this process that .NET does not offer.</summary>
internal static partial class ProcessCalls
{
    /// <summary>Ends the process without unwinding, flushing or running anything; elsewhere than on Linux as near to that as the runtime
    /// comes.</summary>
    public static void End(int exitCode)
    {
        if (Platform.UsesLinuxCalls)
        {
            ExitNow(exitCode);
        }
        else
        {
            ProcessEnd.Now(exitCode);
        }
    }

    [SupportedOSPlatform("linux")]
    [LibraryImport("libc", EntryPoint = "setpgid", SetLastError = true)]
    public static partial int SetProcessGroup(int process, int group);

    [SupportedOSPlatform("linux")]
    [LibraryImport("libc", EntryPoint = "_exit")]
    private static partial void ExitNow(int exitCode);
}
