using System.Text;
using Ambrosia.LogStore.Files.Posix;

namespace Ambrosia.LogStore;

/// <summary>Production behaviour: one line to standard error through write(2), then _exit(2); on Windows, FailFast.</summary>
public sealed class ProcessFatal : IFatal
{
    public void Die(int exitCode, string line)
    {
        if (OperatingSystem.IsWindows())
        {
            Environment.FailFast(line);
        }

        Libc.WriteToStandardError(Encoding.UTF8.GetBytes(line.ReplaceLineEndings(" ") + "\n"));
        Libc.ExitNow(exitCode);
    }
}
