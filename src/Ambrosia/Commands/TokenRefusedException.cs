namespace Ambrosia.Cli.Commands;

/// <summary>A coordinator answers, and wants another token than it was shown, or one at all.</summary>
internal sealed class TokenRefusedException(string message) : CommandException(CommandExit.Failed, message);
