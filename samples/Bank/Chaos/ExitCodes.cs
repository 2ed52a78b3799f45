namespace Bank;

/// <summary>Exit codes that a killed pair shows.</summary>
internal static class ExitCodes
{
    /// <summary>128 + SIGKILL.</summary>
    public const int Killed = 137;

    /// <summary>An app whose coordinator is gone: AppExitCode.CoordinatorLost.</summary>
    public const int CoordinatorLost = 75;
}
