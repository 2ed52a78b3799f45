namespace Ambrosia.LogStore.Errors;

/// <summary>The log store cannot go on. The message reads: code and what | where | what is safe | what to do.</summary>
public class LogStoreException(ErrorCode error, string what, string where, string safe, string advice, Exception? inner = null)
    : IOException($"{error} {what} | {where} | {safe} | {advice}", inner)
{
    /// <summary>Which failure this is; what decides compares it.</summary>
    public ErrorCode Error { get; } = error;

    /// <summary>Stable code such as IC-2001, for lines and logs.</summary>
    public string Code => Error.Id;

    /// <summary>Exit code for a process that stops because of this.</summary>
    public ExitCode ExitCode => Error.ExitCodeIfFatal;
}
