using System.Diagnostics;
using System.Globalization;

namespace Ambrosia.Primitives;

/// <summary>
/// Named places at which this process kills itself, for tests of recovery: <c>AMBROSIA_FAILPOINT=K5:3</c> dies by SIGKILL at the third
/// passing of K5. Compiled in, off by default at the cost of one check of a static field. docs/internals/testing.md lists the names.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class Failpoint
{
    private static readonly string? s_name = Parse(Environment.GetEnvironmentVariable("AMBROSIA_FAILPOINT"), out s_passings);
    private static readonly bool s_armed = s_name is not null;
    private static int s_passings;

    /// <summary>True if any point is armed: then files are watched as well.</summary>
    public static bool Armed => s_armed;

    /// <summary>
    /// True if this point is armed. Some points have to be prepared: half a record must be written before dying in its middle.
    /// </summary>
    public static bool IsArmed(string name) => s_armed && s_name == name;

    /// <summary>Dies here if it is time.</summary>
    public static void Pass(string name)
    {
        if (s_armed && s_name == name && Interlocked.Decrement(ref s_passings) == 0)
        {
            // Nothing may be unwound or flushed: the kernel ends the process before this call returns.
            Process.GetCurrentProcess().Kill();
        }
    }

    private static string? Parse(string? text, out int passings)
    {
        passings = 1;
        if (string.IsNullOrEmpty(text))
        {
            return null;
        }

        string[] parts = text.Split(':', 2);
        return parts.Length == 1 || int.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out passings) ? parts[0] : null;
    }
}
