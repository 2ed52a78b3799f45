using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Diagnostics;

/// <summary>How rules are made: one category, help in one place.</summary>
internal static class Rule
{
    private const string Category = "Ambrosia";

    public static DiagnosticDescriptor Error(string id, string title, string message) => Make(id, title, message, DiagnosticSeverity.Error);

    public static DiagnosticDescriptor Warning(string id, string title, string message) => Make(id, title, message, DiagnosticSeverity.Warning);

    private static DiagnosticDescriptor Make(string id, string title, string message, DiagnosticSeverity severity) => new(
        id, title, message, Category, severity, isEnabledByDefault: true, helpLinkUri: "docs/errors.md#" + id.ToLowerInvariant());
}
