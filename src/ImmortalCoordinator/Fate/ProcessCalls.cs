using System.Runtime.InteropServices;

namespace Ambrosia.ImmortalCoordinator.Fate;

/// <summary>System calls around this process that .NET does not offer.</summary>
internal static partial class ProcessCalls
{
    [LibraryImport("libc", EntryPoint = "setpgid", SetLastError = true)]
    public static partial int SetProcessGroup(int process, int group);

    /// <summary>Ends the process without unwinding, flushing or running anything.</summary>
    [LibraryImport("libc", EntryPoint = "_exit")]
    public static partial void ExitNow(int exitCode);
}
