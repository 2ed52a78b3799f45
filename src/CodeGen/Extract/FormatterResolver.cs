using Ambrosia.CodeGen.Diagnostics;
using Ambrosia.CodeGen.Model;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Extract;

/// <summary>
/// Finds the formatter of a type: one of the runtime's, composed for its type arguments, or one to generate. Nullable annotations decide
/// whether a null is let through; code without annotations lets it through.
/// </summary>
/// <param name="sink">Takes what is wrong with types.</param>
/// <param name="library">Which types MessagePack-CSharp writes and reads.</param>
internal sealed class FormatterResolver(DiagnosticSink sink, LibraryTypes library)
{
    private readonly Dictionary<string, FormatterModel?> _generated = [];
    private readonly LostMembers _lost = new(sink);

    /// <summary>The place that findings are reported at: the parameter or method whose type is being resolved.</summary>
    public SourceLocation? Location { get; set; }

    /// <summary>Every formatter to generate so far, by name.</summary>
    public IEnumerable<FormatterModel> Generated =>
        _generated.Values.OfType<FormatterModel>().OrderBy(static f => f.Name, StringComparer.Ordinal);

    /// <summary>Every enum that was resolved so far, by its name as C#.</summary>
    public Dictionary<string, EnumShape> Enums { get; } = [];

    /// <summary>The formatter as C#, or null when the type cannot be sent; that has been reported then.</summary>
    /// <param name="type">The type.</param>
    /// <param name="path">Where it stands, for people: <c>'order' of Ship, member Order.Lines</c>.</param>
    public string? Resolve(ITypeSymbol type, string path)
    {
        if (type is INamedTypeSymbol { OriginalDefinition.SpecialType: SpecialType.System_Nullable_T } nullable)
        {
            ITypeSymbol inner = nullable.TypeArguments[0];
            return Resolve(inner, path) is { } value ? KnownFormatters.Make("NullableFormatter", TypeText.Code(inner), value) : null;
        }

        string? formatter = ResolveNotNull(type, path);
        bool letsNullThrough = type.IsReferenceType && type.NullableAnnotation != NullableAnnotation.NotAnnotated;
        return formatter is not null && letsNullThrough
            ? KnownFormatters.Make("OptionalFormatter", TypeText.CodeNotNull(type), formatter)
            : formatter;
    }

    /// <summary>Reports that a type cannot be sent.</summary>
    public void Refuse(string path, string reason) => sink.Report(TypeRules.CannotBeSent, Location, path, reason);

    /// <summary>Reports members of a data contract that are marked and do not travel.</summary>
    public void ReportLost(INamedTypeSymbol contract) => _lost.ReportContract(contract);

    /// <summary>Reports something else about a type.</summary>
    public void Report(DiagnosticDescriptor rule, SourceLocation? at, params string[] arguments) =>
        sink.Report(rule, at ?? Location, arguments);

    private string? ResolveNotNull(ITypeSymbol type, string path)
    {
        if (library.Takes(type))
        {
            return OfLibrary(type);
        }

        switch (type)
        {
            case IArrayTypeSymbol array:
                return OfArray(array, path);
            case INamedTypeSymbol { TypeKind: TypeKind.Enum } values:
                Enums[TypeText.CodeNotNull(type)] = EnumShape.Of(values);
                return KnownFormatters.Make("EnumFormatter", TypeText.CodeNotNull(type));
            case INamedTypeSymbol named when Known(named, path, out string? formatter):
                return formatter;
        }

        if (Refusals.Of(type, library.TakesUnknown) is { } reason)
        {
            Refuse(path, reason);
            return null;
        }

        return type is not INamedTypeSymbol user ? null
            : library.TakesUnknown && !UnionExtractor.IsUnion(user) ? library.FormatterOf(user)
            : OfUserType(user, path);
    }

    private string? OfArray(IArrayTypeSymbol array, string path)
    {
        if (array.Rank > 1)
        {
            Refuse(path, $"{TypeText.People(array.ElementType)}[{new string(',', array.Rank - 1)}] has more than one dimension; use an "
                + $"array of arrays");
            return null;
        }

        if (array.ElementType.SpecialType == SpecialType.System_Byte)
        {
            return KnownFormatters.Named("ByteArray");
        }

        return Resolve(array.ElementType, path) is { } element
            ? KnownFormatters.Make("ArrayFormatter", TypeText.Code(array.ElementType), element)
            : null;
    }

    /// <summary>True if the runtime knows the type; <paramref name="formatter"/> is null then if a type argument cannot be sent.</summary>
    private bool Known(INamedTypeSymbol type, string path, out string? formatter)
    {
        string name = TypeText.Metadata(type.OriginalDefinition);
        formatter = KnownFormatters.Plain(name);
        if (formatter is not null)
        {
            return true;
        }

        if (name is "System.Memory`1" or "System.ReadOnlyMemory`1" && type.TypeArguments[0].SpecialType == SpecialType.System_Byte)
        {
            formatter = KnownFormatters.Named(name == "System.Memory`1" ? "ByteMemory" : "ByteReadOnlyMemory");
            return true;
        }

        if (KnownFormatters.Generic(name) is not { } generic)
        {
            return false;
        }

        string?[] formatters = type.TypeArguments.Select(argument => Resolve(argument, path)).ToArray();
        if (!formatters.Contains(null))
        {
            formatter = KnownFormatters.Make(generic, [.. type.TypeArguments.Select(TypeText.Code), .. formatters!]);
        }

        return true;
    }

    // What a named resolver does with private members is its own affair.
    private string OfLibrary(ITypeSymbol type)
    {
        if (!library.HasResolver)
        {
            _lost.Report(type);
        }

        return library.FormatterOf(type);
    }

    private string? OfUserType(INamedTypeSymbol type, string path)
    {
        bool isUnion = UnionExtractor.IsUnion(type);
        string code = TypeText.CodeNotNull(type);
        string name = type.Name + (isUnion ? "Union" : "") + "Formatter_" + MethodIds.HexHash(code + library.Scope).Substring(0, 8);
        if (!_generated.ContainsKey(name))
        {
            _generated[name] = null; // Known from now on: a type may hold itself.
            _generated[name] = isUnion ? new UnionExtractor(this).Extract(type, name, path)
            : new ObjectExtractor(this).Extract(type, name, path);
        }

        return "global::Ambrosia.Generated." + name;
    }

    /// <summary>The formatter of a type by its members, even if it is a union: the entries of a union are written so.</summary>
    internal string ResolveObject(INamedTypeSymbol type, string path)
    {
        if (library.Takes(type))
        {
            return OfLibrary(type);
        }

        string name = type.Name + "Formatter_" + MethodIds.HexHash(TypeText.CodeNotNull(type) + library.Scope).Substring(0, 8);
        if (!_generated.ContainsKey(name))
        {
            _generated[name] = null;
            _generated[name] = new ObjectExtractor(this).Extract(type, name, path);
        }

        return "global::Ambrosia.Generated." + name;
    }
}
