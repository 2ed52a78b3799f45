using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Ambrosia.Bench.Relay;

/// <summary>fdatasync with its result checked, as the log store does it; the runtime has only fsync, and does not say when it
/// failed.</summary>
internal static partial class DataSync
{
    /// <exception cref="IOException">The device did not take the data.</exception>
    public static void Flush(SafeFileHandle file)
    {
        if (OperatingSystem.IsLinux())
        {
            if (Call(file) != 0)
            {
                throw new IOException($"fdatasync failed with error {Marshal.GetLastPInvokeError()}.");
            }
        }
        else
        {
            RandomAccess.FlushToDisk(file);
        }
    }

    [LibraryImport("libc", EntryPoint = "fdatasync", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Call(SafeFileHandle file);
}
