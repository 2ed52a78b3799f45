using Ambrosia.CodeGen.Diagnostics;
using Ambrosia.CodeGen.Model;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Extract;

/// <summary>
/// Finds what the standard resolver of MessagePack-CSharp does not write, or does not set where it arrives, although its type means it to
/// travel. Private members of other assemblies are seen at run time only.
/// </summary>
internal sealed class LostMembers(DiagnosticSink sink)
{
    private const string Standard = "the standard resolver of MessagePack-CSharp loses its value. "
        + "Make it public, mark it [IgnoreMember], or name StandardResolverAllowPrivate by [Resolver] on the interface";

    private readonly HashSet<ITypeSymbol> _seen = new(SymbolEqualityComparer.Default);

    /// <summary>Reports those of a type that the library writes, and of all that it holds.</summary>
    public void Report(ITypeSymbol type)
    {
        if (type is IArrayTypeSymbol array)
        {
            Report(array.ElementType);
            return;
        }

        if (type is not INamedTypeSymbol named || !_seen.Add(named))
        {
            return;
        }

        foreach (ITypeSymbol inner in named.TypeArguments.Concat(CasesOf(named)))
        {
            Report(inner);
        }

        if (Mark(named, "MessagePack.MessagePackObjectAttribute") is
            { } mark && Mark(named, "MessagePack.MessagePackFormatterAttribute") is null)
        {
            ReportMembers(named, mark.ConstructorArguments.FirstOrDefault().Value is true);
        }
    }

    /// <summary>Reports the members of a data contract of ours that are marked and not public.</summary>
    public void ReportContract(INamedTypeSymbol type)
    {
        foreach (ISymbol member in MemberFinder.Levels(type).SelectMany(static level => level.GetMembers())
            .Where(static m => m.DeclaredAccessibility != Accessibility.Public
                && Mark(m, "System.Runtime.Serialization.DataMemberAttribute") is not null))
        {
            Report(member, "has [DataMember], but it is not public: its value is lost. Make it public, or remove the attribute");
        }
    }

    private void ReportMembers(INamedTypeSymbol type, bool byName)
    {
        IParameterSymbol[] fed = [.. type.InstanceConstructors
            .Where(static c => c.DeclaredAccessibility == Accessibility.Public
                || Mark(c, "MessagePack.SerializationConstructorAttribute") is not null)
            .SelectMany(static c => c.Parameters)];
        foreach (ISymbol member in MemberFinder.Levels(type).SelectMany(static level => level.GetMembers())
            .Where(static m => !IsIgnored(m)))
        {
            AttributeData? key = Mark(member, "MessagePack.KeyAttribute");
            if (TypeOf(member) is not { } held || (key is null && !(byName && IsReadable(member))))
            {
                continue;
            }

            if (!IsReadable(member))
            {
                Report(member, $"is to travel, but it is not public: {Standard}");
            }
            else if (!IsWritable(member) && !Array.Exists(fed, parameter => Feeds(parameter, member, held, key)))
            {
                Report(member, $"is to travel, but it can be set neither from outside nor by a constructor: {Standard}");
            }

            Report(held);
        }
    }

    private void Report(ISymbol member, string problem) =>
        sink.Report(TypeRules.MarkedMemberLost, SourceLocation.Of(member), $"{TypeText.People(member.ContainingType)}.{member.Name}",
            problem);

    // What a computed property says is made of others, so that nothing is lost of it.
    private static ITypeSymbol? TypeOf(ISymbol member) => member switch
    {
        { IsStatic: true } => null,
        IPropertySymbol { IsIndexer: false } property => new ObjectMember(property, property.Type).IsComputed ? null : property.Type,
        IFieldSymbol { IsImplicitlyDeclared: false } field => field.Type,
        _ => null,
    };

    private static bool IsReadable(ISymbol member) => member.DeclaredAccessibility == Accessibility.Public
        && member is IFieldSymbol or IPropertySymbol { GetMethod.DeclaredAccessibility: Accessibility.Public };

    private static bool IsWritable(ISymbol member) => member
        is IFieldSymbol { IsReadOnly: false } or IPropertySymbol { SetMethod.DeclaredAccessibility: Accessibility.Public };

    private static bool Feeds(IParameterSymbol parameter, ISymbol member, ITypeSymbol held, AttributeData? key) =>
        SymbolEqualityComparer.Default.Equals(parameter.Type, held)
        && (string.Equals(parameter.Name, member.Name, StringComparison.OrdinalIgnoreCase)
            || (key?.ConstructorArguments.FirstOrDefault().Value is int position && position == parameter.Ordinal));

    private static bool IsIgnored(ISymbol member) => Mark(member, "MessagePack.IgnoreMemberAttribute") is not null
        || Mark(member, "System.Runtime.Serialization.IgnoreDataMemberAttribute") is not null;

    private static IEnumerable<ITypeSymbol> CasesOf(INamedTypeSymbol type) => type.GetAttributes()
        .Where(static a => a.AttributeClass?.ToDisplayString() == "MessagePack.UnionAttribute" && a.ConstructorArguments.Length > 1)
        .Select(static a => a.ConstructorArguments[1].Value).OfType<ITypeSymbol>();

    private static AttributeData? Mark(ISymbol symbol, string name) => symbol.OriginalDefinition.GetAttributes()
        .FirstOrDefault(a => a.AttributeClass?.ToDisplayString() == name);
}
