using Ambrosia.CodeGen.Diagnostics;
using Ambrosia.CodeGen.Model;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Extract;

/// <summary>Reads the closed list of derived types from the [Union] attributes of a base class or interface.</summary>
internal sealed class UnionExtractor(FormatterResolver resolver)
{
    /// <summary>Whether the type has [Union] attributes.</summary>
    public static bool IsUnion(INamedTypeSymbol type) => Attributes(type).Any();

    /// <summary>The formatter to generate, or null if an error was reported.</summary>
    public UnionModel? Extract(INamedTypeSymbol type, string name, string path)
    {
        List<UnionCase> cases = [];
        bool valid = true;
        foreach (AttributeData attribute in Attributes(type))
        {
            int tag = (int)(attribute.ConstructorArguments[0].Value ?? 0);
            if (attribute.ConstructorArguments[1].Value is not INamedTypeSymbol derived)
            {
                valid = false; // The compiler reports what stands there.
                continue;
            }

            if (Problem(type, derived, tag, cases) is { } problem)
            {
                resolver.Report(
                    TypeRules.BadUnion, SourceLocation.Of(type), tag.ToString(System.Globalization.CultureInfo.InvariantCulture),
                    TypeText.People(derived), TypeText.People(type), problem);
                valid = false;
                continue;
            }

            cases.Add(new UnionCase(tag, TypeText.CodeNotNull(derived),
                resolver.ResolveObject(derived, $"{path}, {TypeText.People(derived)}")));
        }

        string label = TypeText.People(type.WithNullableAnnotation(NullableAnnotation.NotAnnotated));
        return valid ? new UnionModel(TypeText.CodeNotNull(type), name, label, cases.OrderBy(static c => c.Tag).ToEquatableArray()) : null;
    }

    private static string? Problem(INamedTypeSymbol union, INamedTypeSymbol derived, int tag, List<UnionCase> cases)
    {
        if (cases.Exists(c => c.Tag == tag))
        {
            return "the tag stands for another type already";
        }

        if (cases.Exists(c => c.Type == TypeText.CodeNotNull(derived)))
        {
            return "the type has a tag already";
        }

        if (derived.IsAbstract)
        {
            return "the type is abstract, so no value can be of it";
        }

        if (derived.IsUnboundGenericType)
        {
            return "the type is an open generic one";
        }

        return Derives(derived, union) ? null : "the type does not derive from it";
    }

    private static bool Derives(INamedTypeSymbol type, INamedTypeSymbol from)
    {
        for (INamedTypeSymbol? walk = type; walk is not null; walk = walk.BaseType)
        {
            if (SymbolEqualityComparer.Default.Equals(walk, from))
            {
                return true;
            }
        }

        return type.AllInterfaces.Contains(from, SymbolEqualityComparer.Default);
    }

    private static IEnumerable<AttributeData> Attributes(INamedTypeSymbol type) => type.GetAttributes().Where(static a =>
        a.AttributeClass?.ToDisplayString() == "Ambrosia.UnionAttribute" && a.ConstructorArguments.Length == 2);
}
