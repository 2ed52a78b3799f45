using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Ambrosia.Cli.Running;

/// <summary>The signal that .NET's Process cannot send.</summary>
internal static partial class Signals
{
    private const int Term = 15;

    /// <summary>
    /// Asks a process to end by SIGTERM. Windows has no such thing: there it is ended at once, which is a supported way to stop.
    /// </summary>
    public static void Terminate(Process process)
    {
        if (Platform.UsesLinuxCalls)
        {
            _ = Kill(process.Id, Term); // It may just have ended: that is what is wanted.
        }
        else if (OperatingSystem.IsWindows() || !TryAsk(process.Id))
        {
            process.Kill();
        }
    }

    // By the command of every Unix.
    private static bool TryAsk(int process)
    {
        try
        {
            using var kill = Process.Start(new ProcessStartInfo("kill", ["-TERM", process.ToString(CultureInfo.InvariantCulture)])
            {
                RedirectStandardError = true, // It may just have ended.
            });
            return kill is not null;
        }
        catch (Win32Exception)
        {
            return false;
        }
    }

    [SupportedOSPlatform("linux")]
    [LibraryImport("libc", EntryPoint = "kill")]
    private static partial int Kill(int process, int signal);
}
