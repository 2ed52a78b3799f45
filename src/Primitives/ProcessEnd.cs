using System.Diagnostics;

namespace Ambrosia.Primitives;

/// <summary>Ends this process without a call of the C library.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ProcessEnd
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Ends the process with an exit code; the caller goes on in no case. The runtime lets others run while it ends, so what takes too long
    /// is killed, without the code.
    /// </summary>
    public static void Now(int exitCode)
    {
        var exit = new Thread(() => Environment.Exit(exitCode)) { Name = "ambrosia exit", IsBackground = true };
        exit.Start();
        exit.Join(s_patience);
        Process.GetCurrentProcess().Kill();
    }
}
