using System.Globalization;
using Ambrosia.CodeGen.Model;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Tool;

/// <summary>Prints findings the way compilers do, so that editors and build servers find the place.</summary>
internal static class Reporter
{
    /// <summary>Prints all; true if one of them is an error.</summary>
    public static bool Report(IEnumerable<DiagnosticInfo> findings, TextWriter errors)
    {
        bool hasErrors = false;
        foreach (DiagnosticInfo finding in findings)
        {
            Diagnostic diagnostic = finding.ToDiagnostic();
            hasErrors |= diagnostic.Severity == DiagnosticSeverity.Error;
            string place = finding.Location is { } at
                ? string.Create(CultureInfo.InvariantCulture, $"{at.Path}({at.Lines.Start.Line + 1},{at.Lines.Start.Character + 1}): ")
                : "";
            errors.WriteLine($"{place}{Word(diagnostic.Severity)} {diagnostic.Id}: {diagnostic.GetMessage(CultureInfo.InvariantCulture)}");
        }

        return hasErrors;
    }

    /// <summary>The severity as compilers write it.</summary>
    public static string Word(DiagnosticSeverity severity) => severity == DiagnosticSeverity.Error ? "error" : "warning";
}
