using System.Runtime.InteropServices;

namespace Ambrosia.Cli.Running;

/// <summary>The signal that .NET's Process cannot send.</summary>
internal static partial class Signals
{
    private const int Term = 15;

    public static void Terminate(int process) => _ = Kill(process, Term); // It may just have ended: that is what is wanted.

    [LibraryImport("libc", EntryPoint = "kill")]
    private static partial int Kill(int process, int signal);
}
