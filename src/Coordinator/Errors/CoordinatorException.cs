namespace Ambrosia.Coordinator.Errors;

/// <summary>The coordinator cannot go on. The message reads: code and what | where | what is safe | what to do.</summary>
public class CoordinatorException(string code, ExitCode exitCode, string what, string where, string safe, string advice, Exception? inner = null)
    : Exception($"{code} {what} | {where} | {safe} | {advice}", inner)
{
    /// <summary>Stable code such as IC-1010; docs/operate/errors.md explains each.</summary>
    public string Code { get; } = code;

    /// <summary>How the process ends because of this.</summary>
    public ExitCode ExitCode { get; } = exitCode;
}
