using System.Globalization;
using System.Text;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Extract;

/// <summary>Values as JSON, for the shapes of an interface.</summary>
internal static class ShapeJson
{
    /// <summary>Text as a JSON string.</summary>
    public static string Quote(string text)
    {
        StringBuilder json = new("\"");
        foreach (char c in text)
        {
            json.Append(c switch
            {
                '"' => "\\\"",
                '\\' => "\\\\",
                < ' ' or (>= '\ud800' and <= '\udfff') or '\u007f' => "\\u" + ((int)c).ToString("x4", CultureInfo.InvariantCulture),
                _ => c.ToString(),
            });
        }

        return json.Append('"').ToString();
    }

    /// <summary>What a parameter is when a caller leaves it out, as JSON; null if it must be sent.</summary>
    public static string? DefaultOf(IParameterSymbol parameter)
    {
        if (parameter.IsParams)
        {
            return "[]";
        }

        if (!parameter.HasExplicitDefaultValue)
        {
            return null;
        }

        return parameter.ExplicitDefaultValue is { } value ? Literal(value) : ZeroOf(parameter.Type);
    }

    private static string Literal(object value) => value switch
    {
        bool truth => truth ? "true" : "false",
        string text => Quote(text),
        char unit => ((int)unit).ToString(CultureInfo.InvariantCulture),
        double.NaN or float.NaN => "\"NaN\"",
        double.PositiveInfinity or float.PositiveInfinity => "\"Infinity\"",
        double.NegativeInfinity or float.NegativeInfinity => "\"-Infinity\"",
        double number => number.ToString("R", CultureInfo.InvariantCulture),
        float number => number.ToString("R", CultureInfo.InvariantCulture),
        decimal number => Quote(number.ToString(CultureInfo.InvariantCulture)),
        IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
        _ => "null",
    };

    // default(T) of a struct. One of the user's own has no form that is known here: it must be sent.
    private static string? ZeroOf(ITypeSymbol type)
    {
        if (type.IsReferenceType || type.OriginalDefinition.SpecialType == SpecialType.System_Nullable_T)
        {
            return "null";
        }

        return type is not INamedTypeSymbol named ? null : TypeText.Metadata(named) switch
        {
            "System.Guid" => "\"00000000-0000-0000-0000-000000000000\"",
            "System.DateTime" => "\"0001-01-01T00:00:00Z\"",
            "System.DateTimeOffset" => "\"0001-01-01T00:00:00+00:00\"",
            "System.DateOnly" => "\"0001-01-01\"",
            "System.TimeOnly" => "\"00:00:00\"",
            "System.TimeSpan" => "\"PT0S\"",
            "System.Int128" or "System.UInt128" or "System.Half" or "System.Numerics.BigInteger" => "0",
            "System.Memory`1" or "System.ReadOnlyMemory`1" => "\"\"",
            "System.Collections.Immutable.ImmutableArray`1" => "[]",
            _ => null,
        };
    }
}
