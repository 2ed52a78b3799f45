namespace Ambrosia.TimeTravel.Link;

/// <summary>A handler threw and no caller waits for it.</summary>
/// <param name="Position">The message that it handled.</param>
/// <param name="MethodId">The method.</param>
/// <param name="Text">What it threw.</param>
public sealed record AppFault(Position Position, int MethodId, string Text);
