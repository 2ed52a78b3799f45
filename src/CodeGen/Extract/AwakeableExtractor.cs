using Ambrosia.CodeGen.Model;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ambrosia.CodeGen.Extract;

/// <summary>Reads calls of <c>Awakeable&lt;T&gt;()</c>: what T is on the wire is known from them alone.</summary>
internal static class AwakeableExtractor
{
    private const string Method = "Awakeable";

    /// <summary>Whether it may be one, by its text.</summary>
    public static bool IsCandidate(SyntaxNode node) => node is InvocationExpressionSyntax call && NameOf(call) is not null;

    /// <summary>
    /// Reads one; null if it is none, or if its type is known to its callers only. The method itself is mostly not found: the class that it
    /// is inherited through is yet to be generated.
    /// </summary>
    public static AwakeableResult? Extract(SyntaxNode node, SemanticModel model, CancellationToken cancel)
    {
        GenericNameSyntax written = NameOf((InvocationExpressionSyntax)node)!;
        if ((model.GetSymbolInfo(node, cancel).Symbol is { } found && TypeText.Metadata(found.ContainingType) != "Ambrosia.Immortal")
            || model.GetTypeInfo(written.TypeArgumentList.Arguments[0], cancel).Type is not { } argument || !IsKnown(argument)
            || model.GetEnclosingSymbol(node.SpanStart, cancel)?.ContainingType is not { } user)
        {
            return null;
        }

        bool takesNull = argument.IsReferenceType && written.TypeArgumentList.Arguments[0] is NullableTypeSyntax;
        ITypeSymbol type = argument.IsReferenceType ? argument.WithNullableAnnotation(NullableAnnotation.NotAnnotated) : argument;
        DiagnosticSink sink = new();
        FormatterResolver resolver = new(sink, LibraryTypes.Of(user, sink))
        {
            Location = SourceLocation.Of(written.GetLocation()),
        };
        string? formatter = resolver.Resolve(type, $"the value of {Method}<{TypeText.People(type)}>");
        if (formatter is null || sink.HasErrors)
        {
            return new AwakeableResult(null, EquatableArray<FormatterModel>.Empty, sink.ToArray());
        }

        formatter = takesNull ? KnownFormatters.Make("OptionalFormatter", TypeText.CodeNotNull(type), formatter) : formatter;
        string name = TypeText.Wire(type); // With null or without: nothing else is known of it when it runs.
        string shape = $"\"name\":{ShapeJson.Quote(TypeText.People(type))},{new ShapeText(resolver).OfValue(formatter)}";
        var awakeable = new AwakeableModel(
            TypeText.CodeNotNull(type) + (takesNull ? "?" : ""), formatter, MethodIds.Of(name), name, shape, takesNull);
        return new AwakeableResult(awakeable, resolver.Generated.ToEquatableArray(), sink.ToArray());
    }

    private static bool IsKnown(ITypeSymbol type) => type switch
    {
        { TypeKind: TypeKind.Error or TypeKind.TypeParameter } => false,
        IArrayTypeSymbol array => IsKnown(array.ElementType),
        INamedTypeSymbol named => named.TypeArguments.All(IsKnown),
        _ => true,
    };

    private static GenericNameSyntax? NameOf(InvocationExpressionSyntax call)
    {
        GenericNameSyntax? name = call.Expression switch
        {
            GenericNameSyntax simple => simple,
            MemberAccessExpressionSyntax { Expression: InstanceExpressionSyntax, Name: GenericNameSyntax member } => member,
            _ => null,
        };
        return name is { Identifier.ValueText: Method, TypeArgumentList.Arguments.Count: 1 } ? name : null;
    }
}
