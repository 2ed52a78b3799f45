using System.Text.Json.Serialization;

namespace Ambrosia.Cli.History;

/// <summary>What a command of the debugger came to.</summary>
/// <param name="Command">The command.</param>
/// <param name="Text">The answer for people.</param>
/// <param name="Data">The answer for programs.</param>
/// <param name="Failed">True if it could not be done.</param>
internal sealed record DebugAnswer(string Command, [property: JsonIgnore] string Text, object? Data, bool Failed = false)
{
    /// <summary>What went wrong, for programs.</summary>
    public string? Error => Failed ? Text : null;
}
