using System.Text;
using Ambrosia.LogStore.Files.Posix;

namespace Ambrosia.LogStore.Settings;

/// <summary>Production behaviour: one line to standard error through write(2), then _exit(2); elsewhere as near to it as the runtime
/// comes.</summary>
public sealed class ProcessFatal : IFatal
{
    /// <summary>The bytes of the line, as all others of this process are written, line feed included. Default: the line alone.</summary>
    public Func<string, byte[]> Format { get; init; } = static line => Encoding.UTF8.GetBytes(line + "\n");

    public void Die(int exitCode, string line)
    {
        if (!Platform.UsesLinuxCalls)
        {
            DieManaged(exitCode, line);
            return;
        }

        try
        {
            Libc.WriteToStandardError(Format(line.ReplaceLineEndings(" ")));
        }
        finally
        {
            Libc.ExitNow(exitCode); // Whatever is wrong with the line: a writer that was fenced must not live on.
        }
    }

    private void DieManaged(int exitCode, string line)
    {
        try
        {
            using Stream error = Console.OpenStandardError();
            error.Write(Format(line.ReplaceLineEndings(" ")));
        }
        finally
        {
            ProcessEnd.Now(exitCode);
        }
    }
}
