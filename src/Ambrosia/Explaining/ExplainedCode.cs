namespace Ambrosia.Cli.Explaining;

/// <summary>A code as JSON.</summary>
internal sealed record ExplainedCode(string Code, string Title, string Meaning, string Safe, string Advice, int? ExitCode, string? ExitName,
    string? Restart)
{
    public static ExplainedCode Of(ErrorCode code) => new(
        code.Id, code.Title, PlainText.Of(code.Meaning), PlainText.Of(code.Safe), PlainText.Of(code.Advice),
        (int?)code.ExitCode, code.ExitCode?.ToString(), code.ExitCode is { } exit ? ExitCodes.Of(exit).Restart : null);
}
