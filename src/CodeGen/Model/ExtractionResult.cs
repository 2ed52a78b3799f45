namespace Ambrosia.CodeGen.Model;

/// <summary>Everything that one interface gives: what to generate and what to tell.</summary>
/// <param name="Interface">The interface, or null if an error forbids generating anything for it.</param>
/// <param name="Formatters">The formatters that its parameters and results need.</param>
/// <param name="Diagnostics">What is wrong with it.</param>
public sealed record ExtractionResult(
    InterfaceModel? Interface, EquatableArray<FormatterModel> Formatters, EquatableArray<DiagnosticInfo> Diagnostics);
