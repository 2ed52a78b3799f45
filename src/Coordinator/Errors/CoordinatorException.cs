namespace Ambrosia.Coordinator.Errors;

/// <summary>The coordinator cannot go on. The message reads: code and what | where | what is safe | what to do.</summary>
public class CoordinatorException(ErrorCode error, string what, string where, string safe, string advice, Exception? inner = null)
    : Exception($"{error} {what} | {where} | {safe} | {advice}", inner)
{
    /// <summary>Which failure this is; what decides compares it.</summary>
    public ErrorCode Error { get; } = error;

    /// <summary>Stable code such as IC-1010, for lines and logs.</summary>
    public string Code => Error.Id;

    /// <summary>How the process ends because of this.</summary>
    public ExitCode ExitCode => Error.ExitCodeIfFatal;
}
