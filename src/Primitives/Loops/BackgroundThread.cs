using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Ambrosia.Primitives.Loops;

/// <summary>
/// Threads for work that takes long and may take longer: on this machine's processors they give way to threads that have something to
/// answer. What has been given away cannot be taken back without rights, so such a thread does nothing else and ends with its work.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static unsafe partial class BackgroundThread
{
    private const int Lower = 10; // A tenth of what an ordinary thread gets where both want the same processor: little, and never nothing.
    private const int AttributesSize = 48;
    private const ulong KeepPolicy = 8;

    // Threads that ask for short slices come first: this one asks for the longest that Linux gives, and is interrupted at once by a thread
    // that has only just something to do.
    private const ulong SliceNanoseconds = 100_000_000;

    /// <summary>Runs work on such a thread. The calling one waits for it: to both it is a plain call, its exceptions included.</summary>
    public static void Run(string name, Action work)
    {
        ExceptionDispatchInfo? failure = null;
        Start(name, () =>
        {
            try
            {
                work();
            }
            catch (Exception error) when (error is not OutOfMemoryException)
            {
                failure = ExceptionDispatchInfo.Capture(error);
            }
        }).Join();
        failure?.Throw();
    }

    /// <summary>Starts work on such a thread. It must not throw, and ends with the process if that ends first.</summary>
    public static Thread Start(string name, Action work)
    {
        var thread = new Thread(() =>
        {
            GiveWay();
            work();
        })
        {
            Name = name,
            IsBackground = true,
        };
        thread.Start();
        return thread;
    }

    /// <summary>
    /// Lets the calling thread give way from here on. Where the system knows no such thing, or forbids it, the work is done all the same.
    /// </summary>
    public static void GiveWay()
    {
        if (!Platform.UsesLinuxCalls)
        {
            Thread.CurrentThread.Priority = ThreadPriority.BelowNormal; // Which Windows heeds.
            return;
        }

        if (RuntimeInformation.ProcessArchitecture is not (Architecture.X64 or Architecture.Arm64))
        {
            return;
        }

        // struct sched_attr: u32 size, u32 policy, u64 flags, s32 nice, u32 priority, u64 runtime (the slice, which kernels before 6.12
        // ignore), u64 deadline, u64 period.
        ulong* attributes = stackalloc ulong[AttributesSize / sizeof(ulong)];
        new Span<byte>(attributes, AttributesSize).Clear();
        attributes[0] = AttributesSize;
        attributes[1] = KeepPolicy;
        attributes[2] = (uint)LowerPriority(Lower);
        attributes[3] = SliceNanoseconds;
        _ = SystemCall(RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 274 : 314, 0, attributes, 0);
    }

    // On Linux the niceness is the thread's own. Gives back what it is now.
    [SupportedOSPlatform("linux")]
    [LibraryImport("libc", EntryPoint = "nice")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int LowerPriority(int by);

    [SupportedOSPlatform("linux")]
    [LibraryImport("libc", EntryPoint = "syscall")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial nint SystemCall(nint number, nint thread, ulong* attributes, nint flags);
}
