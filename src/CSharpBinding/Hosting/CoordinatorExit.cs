namespace Ambrosia.Hosting;

/// <summary>What the exit code of an embedded coordinator means for its app (docs/operate/errors.md, "Exit codes").</summary>
internal static class CoordinatorExit
{
    private const int Stopped = 0;
    private const int AppGone = 30;
    private const int FirstSignal = 128;
    private const int Kill = FirstSignal + 9;
    private const int Terminate = FirstSignal + 15;
    private const int HostLacksRuntime = 131; // 0x80008083 as the low byte of an exit code.
    private const int HostLacksFramework = 150; // 0x80008096

    /// <summary>True if another start changes nothing, or somebody has asked for this end.</summary>
    public static bool IsFinal(int code) => code is Stopped or AppGone || IsRefusal(code);

    /// <summary>True if a person must act before it is started again. The app ends with the same code.</summary>
    public static bool IsRefusal(int code) =>
        code is (int)AppExitCode.Diverged or (int)AppExitCode.StoreDamaged or (int)AppExitCode.StoreNotUsable or (int)AppExitCode.Usage;

    /// <summary>True if .NET's host found no runtime, or not the one that the coordinator needs.</summary>
    public static bool LacksRuntime(int code) => code is HostLacksRuntime or HostLacksFramework;

    /// <summary>True if a signal has ended it.</summary>
    public static bool IsSignal(int code) => code > FirstSignal && !LacksRuntime(code);

    /// <summary>True if somebody killed it: nothing that it has said explains its end.</summary>
    public static bool IsKill(int code) => code is Kill or Terminate;
}
