namespace Ambrosia.Primitives.Errors;

/// <summary>What an exit code means.</summary>
/// <param name="Code">The number, with its name.</param>
/// <param name="Meaning">What happened.</param>
/// <param name="Restart">Whether starting again helps.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record ExitCodeMeaning(ExitCode Code, string Meaning, string Restart);
