using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Fixes;

/// <summary>One thing that can be done about a finding.</summary>
/// <param name="Title">What the editor shows.</param>
/// <param name="Apply">Makes the file's new tree.</param>
internal sealed record Offer(string Title, Func<SyntaxNode> Apply);
