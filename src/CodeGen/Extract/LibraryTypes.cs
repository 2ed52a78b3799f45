using Ambrosia.CodeGen.Diagnostics;
using Ambrosia.CodeGen.Model;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Extract;

/// <summary>Which types MessagePack-CSharp writes and reads for an interface, and through which resolver.</summary>
internal sealed class LibraryTypes
{
    private const string AttributeName = "Ambrosia.ResolverAttribute";

    // Each says by itself that the library knows a form for the type.
    private static readonly HashSet<string> s_marks =
        ["MessagePack.MessagePackObjectAttribute", "MessagePack.UnionAttribute", "MessagePack.MessagePackFormatterAttribute"];

    private readonly string? _resolver;
    private readonly HashSet<ITypeSymbol> _listed = new(SymbolEqualityComparer.Default);

    private LibraryTypes(bool isNamed, string? resolver, IEnumerable<ITypeSymbol> listed)
    {
        _resolver = resolver;
        _listed.UnionWith(listed);
        TakesUnknown = isNamed && _listed.Count == 0;
        IEnumerable<string> names = _listed.Select(TypeText.CodeNotNull).OrderBy(static name => name, StringComparer.Ordinal);
        Scope = isNamed ? $" by {resolver} for {string.Join(", ", names)}" : "";
    }

    /// <summary>Whether it gets every type that the binding has no form for by itself.</summary>
    public bool TakesUnknown { get; }

    /// <summary>Whether the interface names a resolver, which is asked before the library's standard one.</summary>
    public bool HasResolver => _resolver is not null;

    /// <summary>What tells formatters of this interface from those of others for the same type; empty where nothing does.</summary>
    public string Scope { get; }

    /// <summary>Reads an interface's attribute.</summary>
    public static LibraryTypes Of(INamedTypeSymbol type, DiagnosticSink sink)
    {
        AttributeData? attribute = type.GetAttributes().FirstOrDefault(static a => a.AttributeClass?.ToDisplayString() == AttributeName);
        if (attribute is null)
        {
            return new LibraryTypes(false, null, []);
        }

        var resolver = attribute.ConstructorArguments.FirstOrDefault().Value as INamedTypeSymbol;
        if (resolver is not null && Problem(resolver) is { } problem)
        {
            sink.Report(TypeRules.BadResolver, SourceLocation.Of(type), TypeText.People(resolver), type.Name, problem);
            resolver = null;
        }

        TypedConstant types = attribute.NamedArguments.FirstOrDefault(static pair => pair.Key == "Types").Value;
        IEnumerable<ITypeSymbol> listed = types.Kind == TypedConstantKind.Array && !types.IsNull
            ? types.Values.Select(static value => value.Value).OfType<ITypeSymbol>()
            : [];
        return new LibraryTypes(true, resolver is null ? null : TypeText.CodeNotNull(resolver), listed);
    }

    /// <summary>Whether it gets this type whatever form the binding has for it.</summary>
    public bool Takes(ITypeSymbol type) => _listed.Contains(type) || (type is INamedTypeSymbol named && IsMarked(named));

    /// <summary>The formatter that hands a type over, as C#.</summary>
    public string FormatterOf(ITypeSymbol type) => _resolver is null
        ? KnownFormatters.Make("LibraryFormatter", TypeText.CodeNotNull(type))
        : KnownFormatters.Make("LibraryFormatter", TypeText.CodeNotNull(type), _resolver);

    // A base class with a list of ours is written as ours, whatever else it carries.
    private static bool IsMarked(INamedTypeSymbol type) => !UnionExtractor.IsUnion(type)
        && type.OriginalDefinition.GetAttributes()
            .Any(static a => a.AttributeClass is { } mark && s_marks.Contains(mark.ToDisplayString()));

    private static string? Problem(INamedTypeSymbol resolver)
    {
        if (resolver.IsUnboundGenericType)
        {
            return "it is an open generic type";
        }

        if (!resolver.AllInterfaces.Any(static i => i.ToDisplayString() == "MessagePack.IFormatterResolver"))
        {
            return "it does not implement MessagePack.IFormatterResolver";
        }

        for (INamedTypeSymbol? outer = resolver; outer is not null; outer = outer.ContainingType)
        {
            if (outer.DeclaredAccessibility is not (Accessibility.Public or Accessibility.Internal) || outer.IsFileLocal)
            {
                return "generated code cannot name it; make it public or internal";
            }
        }

        bool hasInstance = resolver.GetMembers("Instance")
            .Any(static m => m is { IsStatic: true, DeclaredAccessibility: Accessibility.Public });
        bool canBeMade = resolver is { TypeKind: TypeKind.Class, IsAbstract: false }
            && resolver.InstanceConstructors.Any(static c => c.Parameters.IsEmpty && c.DeclaredAccessibility == Accessibility.Public);
        return hasInstance || canBeMade || resolver.IsValueType
            ? null
            : "it has neither a public static member Instance nor a public constructor without parameters";
    }
}
