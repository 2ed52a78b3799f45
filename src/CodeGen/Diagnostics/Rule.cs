using System.Reflection;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Diagnostics;

/// <summary>How rules are made: one category, help in one place.</summary>
internal static class Rule
{
    private const string Category = "Ambrosia";

    // The pages of the build that the analyzers come from: in the repository beside them, in a release where they are published.
    private static readonly Uri s_page = new(new Uri(typeof(Rule).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
        .First(static a => a.Key == "AmbrosiaDocs").Value), "guide/analyzers.md");

    public static DiagnosticDescriptor Error(string id, string title, string message) => Make(id, title, message, DiagnosticSeverity.Error);

    public static DiagnosticDescriptor Warning(string id, string title, string message) =>
        Make(id, title, message, DiagnosticSeverity.Warning);

    private static DiagnosticDescriptor Make(string id, string title, string message, DiagnosticSeverity severity) => new(
        id, title, message, Category, severity, isEnabledByDefault: true, helpLinkUri: s_page.AbsoluteUri + "#" + id.ToLowerInvariant());
}
