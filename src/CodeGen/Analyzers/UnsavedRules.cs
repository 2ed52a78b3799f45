using Ambrosia.CodeGen.Diagnostics;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>Finds handlers that use fields and properties marked [NotSaved].</summary>
internal static class UnsavedRules
{
    private static readonly HashSet<string> s_constant =
    [
        "System.Text.RegularExpressions.Regex", "System.Text.Json.JsonSerializerOptions", "System.Text.Encoding",
        "System.Globalization.CultureInfo", "System.StringComparer", "System.Uri", "System.Version", "System.Type", "System.TimeSpan",
        "System.Guid", "System.DateTime", "System.DateTimeOffset", "System.IFormatProvider", "System.Buffers.SearchValues",
        "System.TimeZoneInfo", "Microsoft.Extensions.Logging.ILogger",
    ];

    /// <summary>Reports a use. What OnRestore brings back is saved after all, and constructors and constants make the same again.</summary>
    public static void Check(ISymbol used, IOperation operation, ISymbol member, HandlerScope scope)
    {
        bool isMade = member is IMethodSymbol { MethodKind: MethodKind.Constructor } or IFieldSymbol or IPropertySymbol;
        bool isNamed = operation.Parent is INameOfOperation;
        if (!used.IsStatic && !isMade && !isNamed && ImmortalTypes.IsNotSaved(used) && ImmortalTypes.IsImmortal(used.ContainingType)
            && !IsConstant(used))
        {
            scope.AddUnsaved(member, used, Diagnostic.Create(
                HandlerRules.TouchesUnsaved, operation.Syntax.GetLocation(), $"{used.ContainingType.Name}.{used.Name}"));
        }
    }

    // The constructor sets it to the same each time, and nothing in it can change.
    private static bool IsConstant(ISymbol used) => used switch
    {
        IFieldSymbol { IsReadOnly: true } field => IsConstant(field.Type),
        IPropertySymbol { SetMethod: null } property => IsConstant(property.Type),
        _ => false,
    };

    private static bool IsConstant(ITypeSymbol type) => type.SpecialType is not (SpecialType.None or SpecialType.System_Object)
        || type.TypeKind == TypeKind.Enum
        || s_constant.Contains(ImmortalTypes.FullName(type.OriginalDefinition))
        || type.ContainingNamespace?.ToDisplayString() is "System.Collections.Immutable" or "System.Collections.Frozen"
        || (type is INamedTypeSymbol { OriginalDefinition.SpecialType: SpecialType.System_Nullable_T } maybe
            && IsConstant(maybe.TypeArguments[0]));
}
