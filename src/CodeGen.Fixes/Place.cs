using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ambrosia.CodeGen.Fixes;

/// <summary>What can be used where a finding is.</summary>
internal static class Place
{
    /// <summary>Whether the protected members of Immortal can be used there by their names alone.</summary>
    public static bool IsInImmortal(SyntaxNode node, SemanticModel model)
    {
        bool isStatic = node.AncestorsAndSelf().TakeWhile(static n => n is not TypeDeclarationSyntax).Any(static n => n switch
        {
            BaseFieldDeclarationSyntax => true, // An initializer has no object yet.
            MemberDeclarationSyntax member => member.Modifiers.Any(SyntaxKind.StaticKeyword),
            LocalFunctionStatementSyntax local => local.Modifiers.Any(SyntaxKind.StaticKeyword),
            AnonymousFunctionExpressionSyntax lambda => lambda.Modifiers.Any(SyntaxKind.StaticKeyword),
            EqualsValueClauseSyntax { Parent: PropertyDeclarationSyntax } => true,
            _ => false,
        });
        INamedTypeSymbol? type = node.FirstAncestorOrSelf<TypeDeclarationSyntax>() is { } declaration ? model.GetDeclaredSymbol(declaration)
            : null;
        for (INamedTypeSymbol? walk = type; walk is not null && !isStatic; walk = walk.BaseType)
        {
            if (walk.ToDisplayString() == "Ambrosia.Immortal")
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether an await can stand there: the nearest method, local function or lambda is asynchronous.</summary>
    public static bool CanAwait(SyntaxNode node) => node.Ancestors().Select(static n => n switch
    {
        LocalFunctionStatementSyntax local => local.Modifiers.Any(SyntaxKind.AsyncKeyword),
        AnonymousFunctionExpressionSyntax lambda => lambda.AsyncKeyword.IsKind(SyntaxKind.AsyncKeyword),
        MethodDeclarationSyntax method => method.Modifiers.Any(SyntaxKind.AsyncKeyword),
        MemberDeclarationSyntax => false,
        _ => (bool?)null,
    }).FirstOrDefault(static can => can is not null) ?? false;
}
