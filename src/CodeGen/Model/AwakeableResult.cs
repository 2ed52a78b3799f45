namespace Ambrosia.CodeGen.Model;

/// <summary>What a call gives that makes an awakeable: what to generate and what to tell.</summary>
/// <param name="Awakeable">The type, or null if its values cannot be sent.</param>
/// <param name="Formatters">The formatters that it needs.</param>
/// <param name="Diagnostics">What is wrong with it.</param>
public sealed record AwakeableResult(
    AwakeableModel? Awakeable, EquatableArray<FormatterModel> Formatters, EquatableArray<DiagnosticInfo> Diagnostics);
