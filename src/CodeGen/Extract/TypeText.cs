using System.Text;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Extract;

/// <summary>Types as text: for generated C#, for people, and for the wire contract.</summary>
internal static class TypeText
{
    private static readonly SymbolDisplayFormat s_code = SymbolDisplayFormat.FullyQualifiedFormat.WithMiscellaneousOptions(
        SymbolDisplayMiscellaneousOptions.UseSpecialTypes
        | SymbolDisplayMiscellaneousOptions.EscapeKeywordIdentifiers
        | SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier);

    private static readonly SymbolDisplayFormat s_people = SymbolDisplayFormat.MinimallyQualifiedFormat.WithMiscellaneousOptions(
        SymbolDisplayMiscellaneousOptions.UseSpecialTypes | SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier);

    /// <summary>The type as generated code writes it.</summary>
    public static string Code(ITypeSymbol type) => type.ToDisplayString(s_code);

    /// <summary>The type, without a nullable annotation of its own, as generated code writes it.</summary>
    public static string CodeNotNull(ITypeSymbol type) =>
        Code(type.IsReferenceType ? type.WithNullableAnnotation(NullableAnnotation.NotAnnotated) : type);

    /// <summary>The type as an error text shows it.</summary>
    public static string People(ITypeSymbol type) => type.ToDisplayString(s_people);

    /// <summary>Namespace and name with the number of type parameters, as in metadata: <c>System.Collections.Generic.List`1</c>.</summary>
    public static string Metadata(INamedTypeSymbol type)
    {
        string name = type.MetadataName;
        for (INamedTypeSymbol? outer = type.ContainingType; outer is not null; outer = outer.ContainingType)
        {
            name = outer.MetadataName + "+" + name;
        }

        string space = Namespace(type);
        return space.Length == 0 ? name : space + "." + name;
    }

    /// <summary>The type's namespace as in metadata, keywords not escaped; empty for the global one.</summary>
    public static string Namespace(INamedTypeSymbol type)
    {
        string name = "";
        for (INamespaceSymbol space = type.ContainingNamespace; space is { IsGlobalNamespace: false }; space = space.ContainingNamespace)
        {
            name = name.Length == 0 ? space.Name : space.Name + "." + name;
        }

        return name;
    }

    /// <summary>
    /// The type as method ids and contracts see it. Written here, not by Roslyn's display formats, because it must never change: aliases,
    /// nullable annotations, tuple names and <c>dynamic</c> leave no trace.
    /// </summary>
    public static string Wire(ITypeSymbol type)
    {
        switch (type)
        {
            case IArrayTypeSymbol array:
                return Wire(array.ElementType) + "[" + new string(',', array.Rank - 1) + "]";
            case INamedTypeSymbol { IsTupleType: true, TupleUnderlyingType: { } underlying }
                when !SymbolEqualityComparer.Default.Equals(underlying, type):
                return Wire(underlying);
            case INamedTypeSymbol named:
                string name = Metadata(named.OriginalDefinition);
                ITypeSymbol[] arguments = AllArguments(named).ToArray();
                return arguments.Length == 0 ? name : name + "<" + string.Join(",", arguments.Select(Wire)) + ">";
            default:
                return type.TypeKind == TypeKind.Dynamic ? "System.Object" : type.ToDisplayString();
        }
    }

    /// <summary>Name and parameter types of a method as its id sees them.</summary>
    public static string Signature(IMethodSymbol method)
    {
        StringBuilder text = new(method.Name);
        text.Append('(');
        IParameterSymbol[] sent = [.. method.Parameters.Where(static p => !IsEffectContext(p))];
        for (int i = 0; i < sent.Length; i++)
        {
            text.Append(i == 0 ? "" : ",").Append(Wire(sent[i].Type));
        }

        return text.Append(')').ToString();
    }

    /// <summary>Whether the parameter is what the runtime gives to the class that performs an effect: it is not sent.</summary>
    public static bool IsEffectContext(IParameterSymbol parameter) =>
        parameter.Type is INamedTypeSymbol { Name: "EffectContext" } type && Metadata(type) == "Ambrosia.EffectContext";

    private static IEnumerable<ITypeSymbol> AllArguments(INamedTypeSymbol type) =>
        (type.ContainingType is null ? [] : AllArguments(type.ContainingType)).Concat(type.TypeArguments);
}
