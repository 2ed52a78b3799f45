namespace Ambrosia.Cli.Explaining;

/// <summary>A message of generator or analyzers.</summary>
internal sealed record CompilerMessage(string Code, string Severity, string Meaning, string Advice);
