namespace Ambrosia.CodeGen.Model;

/// <summary>A method of an immortal interface.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Id">Its number on the wire.</param>
/// <param name="IsImpulse">Whether it may be called from the outside world.</param>
/// <param name="IsQuery">Whether it only reads.</param>
/// <param name="ResultType">The result's type as C#, or null if there is none.</param>
/// <param name="ResultFormatter">The result's formatter as C#, or null if there is none.</param>
/// <param name="Parameters">Its parameters in order.</param>
/// <param name="Signature">Name and parameter types as the method id sees them.</param>
/// <param name="WireResult">The result's type as the contract sees it.</param>
/// <param name="DocumentationId">Where its documentation comment is found.</param>
public sealed record MethodModel(
    string Name,
    int Id,
    bool IsImpulse,
    bool IsQuery,
    string? ResultType,
    string? ResultFormatter,
    EquatableArray<ParameterModel> Parameters,
    string Signature,
    string WireResult,
    string DocumentationId)
{
    /// <summary>What a method of an effect interface has more; null for one of an immortal interface.</summary>
    public EffectDetails? Effect { get; init; }

    /// <summary>The name that the proxy's variants are made of: a trailing Async is not doubled.</summary>
    public string Stem => Name.Length > 5 && Name.EndsWith("Async", StringComparison.Ordinal) ? Name.Substring(0, Name.Length - 5) : Name;
}
