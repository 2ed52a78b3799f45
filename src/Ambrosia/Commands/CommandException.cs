namespace Ambrosia.Cli.Commands;

/// <summary>The command cannot be carried out: one sentence and an exit code.</summary>
public class CommandException(CommandExit code, string message) : Exception(message)
{
    /// <summary>How the process ends.</summary>
    public CommandExit Code { get; } = code;
}
