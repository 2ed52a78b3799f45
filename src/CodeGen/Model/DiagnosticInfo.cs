using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Model;

/// <summary>A message to the user, as a value that can be compared and kept between runs.</summary>
public sealed record DiagnosticInfo(DiagnosticDescriptor Rule, SourceLocation? Location, EquatableArray<string> Arguments)
{
    /// <summary>The message as the compiler wants it.</summary>
    public Diagnostic ToDiagnostic() =>
        Diagnostic.Create(Rule, Location?.ToLocation() ?? Microsoft.CodeAnalysis.Location.None, Arguments.Items.ToArray<object>());
}
