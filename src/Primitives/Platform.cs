using System.Runtime.Versioning;

namespace Ambrosia.Primitives;

/// <summary>
/// Which calls this process makes: those of 64-bit Linux, or what the runtime offers on every system. The one place that decides it. On
/// Linux <c>AMBROSIA_MANAGED_FALLBACKS=1</c> chooses the latter, so that they can be tested where everything else is.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class Platform
{
    /// <summary>The variable that chooses the managed fallbacks on Linux.</summary>
    public const string Variable = "AMBROSIA_MANAGED_FALLBACKS";

    /// <summary>What the managed fallbacks promise less, for the line at the start.</summary>
    public const string Limits =
        "what a killed process acknowledged is kept, but a power cut may lose it: names of files are never synced; use 64-bit Linux "
        + "in production";

    /// <summary>Whether Linux is called directly; else the managed fallbacks are in use.</summary>
    [SupportedOSPlatformGuard("linux")]
    public static bool UsesLinuxCalls { get; } = OperatingSystem.IsLinux() && Environment.Is64BitProcess
        && !IsSet(Environment.GetEnvironmentVariable(Variable));

    /// <summary>Whether the managed fallbacks are made for this system.</summary>
    public static bool IsKnown => OperatingSystem.IsLinux() || OperatingSystem.IsWindows() || OperatingSystem.IsMacOS();

    /// <summary>Why the managed fallbacks are in use.</summary>
    public static string Reason =>
        OperatingSystem.IsLinux() && Environment.Is64BitProcess ? $"{Variable} is set" : "this is not 64-bit Linux";

    /// <summary>Whether a value of the variable chooses the fallbacks: any but 0.</summary>
    private static bool IsSet(string? value) => value is not (null or [] or ['0']);
}
