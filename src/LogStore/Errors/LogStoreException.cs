namespace Ambrosia.LogStore.Errors;

/// <summary>The log store cannot go on. The message reads: code and what | where | what is safe | what to do.</summary>
public class LogStoreException(string code, LogExitCode exitCode, string what, string where, string safe, string advice, Exception? inner = null)
    : IOException($"{code} {what} | {where} | {safe} | {advice}", inner)
{
    /// <summary>Stable code such as IC-2001; docs/operate/errors.md explains each.</summary>
    public string Code { get; } = code;

    /// <summary>Exit code for a process that stops because of this.</summary>
    public LogExitCode ExitCode { get; } = exitCode;
}
