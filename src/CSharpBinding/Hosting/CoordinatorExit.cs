namespace Ambrosia.Hosting;

/// <summary>What the exit code of an embedded coordinator means for its app (docs/operations.md, "Exit codes").</summary>
internal static class CoordinatorExit
{
    private const int Stopped = 0;
    private const int AppGone = 30;
    private const int FirstSignal = 128;
    private const int Kill = FirstSignal + 9;
    private const int Terminate = FirstSignal + 15;

    /// <summary>True if another start changes nothing, or somebody has asked for this end.</summary>
    public static bool IsFinal(int code) => code is Stopped or AppGone || IsRefusal(code);

    /// <summary>True if a person must act before it is started again. The app ends with the same code.</summary>
    public static bool IsRefusal(int code) =>
        code is (int)AppExitCode.Diverged or (int)AppExitCode.StoreDamaged or (int)AppExitCode.StoreNotUsable or (int)AppExitCode.Usage;

    /// <summary>True if a signal has ended it.</summary>
    public static bool IsSignal(int code) => code > FirstSignal;

    /// <summary>True if somebody killed it: nothing that it has said explains its end.</summary>
    public static bool IsKill(int code) => code is Kill or Terminate;
}
