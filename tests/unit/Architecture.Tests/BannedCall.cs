namespace Ambrosia.Architecture.Tests;

/// <summary>Something that code below src must not do.</summary>
/// <param name="Name">What it is called in the list of exceptions.</param>
/// <param name="Instead">What to do instead, and why.</param>
/// <param name="IsMatch">Finds it.</param>
internal sealed record BannedCall(string Name, string Instead, Func<Microsoft.CodeAnalysis.SyntaxNode, bool> IsMatch);
