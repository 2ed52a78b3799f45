using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Ambrosia.Cli.History;

/// <summary>
/// Makes this process, and what it starts from here on, run only when nobody else wants the processor or the disk: looking back must not
/// slow the present down. Elsewhere than on Linux only the processor is left to others.
/// </summary>
internal static partial class IdlePriority
{
    private const int IdlePolicy = 5; // SCHED_IDLE
    private const int ThreadItself = 1; // IOPRIO_WHO_PROCESS, which means a thread
    private const int IdleClass = 3 << 13;

    public static void Apply()
    {
        if (!Platform.UsesLinuxCalls)
        {
            using var self = Process.GetCurrentProcess();
            self.PriorityClass = ProcessPriorityClass.Idle;
            return;
        }

        // Priorities belong to threads and are inherited: the threads that are there, and all that come after them.
        foreach (string task in Directory.EnumerateDirectories("/proc/self/task"))
        {
            int thread = int.Parse(Path.GetFileName(task), NumberStyles.None, CultureInfo.InvariantCulture);
            int priority = 0;
            _ = SetScheduler(thread, IdlePolicy, ref priority); // A thread that has just ended needs none.
            _ = SystemCall(RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 30 : 251, ThreadItself, thread, IdleClass);
        }
    }

    [SupportedOSPlatform("linux")]
    [LibraryImport("libc", EntryPoint = "sched_setscheduler")]
    private static partial int SetScheduler(int thread, int policy, ref int priority);

    [SupportedOSPlatform("linux")]
    [LibraryImport("libc", EntryPoint = "syscall")]
    private static partial nint SystemCall(nint number, nint which, nint who, nint priority);
}
