using System.Globalization;
using Ambrosia.PowerCut.Tests.Volumes;

namespace Ambrosia.SystemFaults.Tests.Writing;

/// <summary>Descriptors of this process below a folder: what the end of a process would close.</summary>
internal static class OpenFiles
{
    public static int CloseBelow(string folder)
    {
        int closed = 0;
        foreach (string entry in Directory.GetFiles("/proc/self/fd"))
        {
            string? target = null;
            try
            {
                target = new FileInfo(entry).LinkTarget;
            }
            catch (IOException)
            {
                // The descriptor of the listing itself.
            }

            if (target is not null && target.StartsWith(folder, StringComparison.Ordinal))
            {
                _ = Kernel.Close(int.Parse(Path.GetFileName(entry), CultureInfo.InvariantCulture));
                closed++;
            }
        }

        return closed;
    }
}
