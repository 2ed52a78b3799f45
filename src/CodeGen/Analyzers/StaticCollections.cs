using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>
/// Tells static collections that change from tables, which are filled where they are declared and only read from then on. Read-only says
/// nothing
/// about what a collection holds.
/// </summary>
internal static class StaticCollections
{
    /// <summary>Whether a static field or property of this compilation holds a collection that changes.</summary>
    public static bool IsChanging(ISymbol member)
    {
        (ITypeSymbol? type, bool isReadOnly) = member switch
        {
            IFieldSymbol { IsConst: false } field => (field.Type, field.IsReadOnly),
            IPropertySymbol property => (property.Type, property.SetMethod is null),
            _ => (null, true),
        };
        if (!StaticState.IsCollection(type) || member.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax() is not { } declaration)
        {
            return false;
        }

        if (declaration is PropertyDeclarationSyntax { ExpressionBody: not null } or PropertyDeclarationSyntax { Initializer: null }
            && isReadOnly)
        {
            return false; // It is computed.
        }

        ExpressionSyntax? initial = declaration switch
        {
            VariableDeclaratorSyntax variable => variable.Initializer?.Value,
            PropertyDeclarationSyntax property => property.Initializer?.Value,
            _ => null,
        };
        TypeDeclarationSyntax[] owner = [.. member.ContainingType.DeclaringSyntaxReferences.Select(static r => r.GetSyntax())
            .OfType<TypeDeclarationSyntax>()];
        return !isReadOnly || owner.Any(o => IsChanged(o, member.Name))
            || (IsEmpty(initial) && !owner.Any(o => IsFilledAtStart(o, member.Name)));
    }

    private static bool IsEmpty(ExpressionSyntax? initial) => initial switch
    {
        null => true,
        CollectionExpressionSyntax collection => collection.Elements.Count == 0,
        BaseObjectCreationExpressionSyntax creation => creation.Initializer is null or { Expressions.Count: 0 }
            && creation.ArgumentList is null or { Arguments.Count: 0 }
            || (creation.Initializer is null && creation.ArgumentList!.Arguments.All(static a => IsSetting(a.Expression))),
        InvocationExpressionSyntax call => call.Expression.ToString().StartsWith("Channel.Create", StringComparison.Ordinal),
        _ => false,
    };

    // A capacity or a comparer; anything else may be what the collection is filled with.
    private static bool IsSetting(ExpressionSyntax argument) =>
        argument is LiteralExpressionSyntax || argument.ToString().Contains("Comparer");

    private static bool IsFilledAtStart(TypeDeclarationSyntax type, string name) =>
        type.Members.OfType<ConstructorDeclarationSyntax>().Any(c => c.Modifiers.Any(SyntaxKind.StaticKeyword) && Named(c, name).Any());

    private static bool IsChanged(TypeDeclarationSyntax type, string name) =>
        Named(type, name).Any(static found => IsChange(found) && !found.Ancestors().OfType<ConstructorDeclarationSyntax>()
            .Any(static c => c.Modifiers.Any(SyntaxKind.StaticKeyword)));

    private static IEnumerable<IdentifierNameSyntax> Named(SyntaxNode node, string name) =>
        node.DescendantNodes().OfType<IdentifierNameSyntax>().Where(i => i.Identifier.ValueText == name);

    private static bool IsChange(IdentifierNameSyntax name)
    {
        SyntaxNode whole = name.Parent is MemberAccessExpressionSyntax access && access.Name == name ? access : name;
        return whole.Parent switch
        {
            MemberAccessExpressionSyntax call when call.Expression == whole =>
                call.Parent is InvocationExpressionSyntax && StaticState.IsChange(call.Name.Identifier.ValueText),
            ElementAccessExpressionSyntax element => element.Parent is AssignmentExpressionSyntax assignment && assignment.Left == element
                || element.Parent is PostfixUnaryExpressionSyntax or PrefixUnaryExpressionSyntax,
            _ => false,
        };
    }
}
