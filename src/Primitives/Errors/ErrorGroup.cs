namespace Ambrosia.Primitives.Errors;

/// <summary>Codes that concern one thing; a heading of docs/operate/errors.md.</summary>
/// <param name="Heading">Which numbers, and what they concern.</param>
/// <param name="Note">What holds for all of them; empty if nothing does.</param>
/// <param name="Codes">By number.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record ErrorGroup(string Heading, string Note, IReadOnlyList<ErrorCode> Codes);
