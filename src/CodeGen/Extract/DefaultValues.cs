using System.Globalization;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Ambrosia.CodeGen.Extract;

/// <summary>Default values of parameters as C#.</summary>
internal static class DefaultValues
{
    /// <summary>The default value as C#, or null if the parameter has none.</summary>
    public static string? Of(IParameterSymbol parameter)
    {
        if (!parameter.HasExplicitDefaultValue)
        {
            return null;
        }

        object? value = parameter.ExplicitDefaultValue;
        ITypeSymbol type = parameter.Type is INamedTypeSymbol { OriginalDefinition.SpecialType: SpecialType.System_Nullable_T } nullable
            ? nullable.TypeArguments[0]
            : parameter.Type;
        if (value is null)
        {
            return "default";
        }

        return type.TypeKind == TypeKind.Enum ? $"({TypeText.Code(type)})({Literal(value)})" : Literal(value);
    }

    private static string Literal(object value) => value switch
    {
        double.NaN => "double.NaN",
        double.PositiveInfinity => "double.PositiveInfinity",
        double.NegativeInfinity => "double.NegativeInfinity",
        float.NaN => "float.NaN",
        float.PositiveInfinity => "float.PositiveInfinity",
        float.NegativeInfinity => "float.NegativeInfinity",
        double number => number.ToString("R", CultureInfo.InvariantCulture) + "d",
        float number => number.ToString("R", CultureInfo.InvariantCulture) + "f",
        decimal number => number.ToString(CultureInfo.InvariantCulture) + "m",
        _ => SymbolDisplay.FormatPrimitive(value, quoteStrings: true, useHexadecimalNumbers: false),
    };
}
