using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Extract;

/// <summary>
/// Estimates what an argument takes in a message, as C#: the page reserves the size prefix by it, and a wrong estimate costs a move of the
/// message, nothing else.
/// </summary>
internal static class SizeEstimate
{
    /// <summary>The estimate for one parameter; an expression that cannot throw.</summary>
    public static string Of(ITypeSymbol type, string name)
    {
        switch (type.SpecialType)
        {
            case SpecialType.System_Boolean or SpecialType.System_Byte or SpecialType.System_SByte:
                return "2";
            case SpecialType.System_Int16 or SpecialType.System_UInt16 or SpecialType.System_Char:
                return "3";
            case SpecialType.System_Int32 or SpecialType.System_UInt32 or SpecialType.System_Single:
                return "5";
            case SpecialType.System_Int64 or SpecialType.System_UInt64 or SpecialType.System_Double:
                return "9";
            case SpecialType.System_String:
                return $"5 + ({name}?.Length ?? 0)";
            case SpecialType.System_Decimal:
                return "16";
        }

        if (type.TypeKind == TypeKind.Enum)
        {
            return "2";
        }

        if (type is IArrayTypeSymbol array)
        {
            return array.ElementType.SpecialType == SpecialType.System_Byte
                ? $"5 + ({name}?.Length ?? 0)"
                : $"5 + (8 * ({name}?.Length ?? 0))";
        }

        return TypeText.Wire(type) switch
        {
            "System.Memory<System.Byte>" or "System.ReadOnlyMemory<System.Byte>" => $"5 + {name}.Length",
            "System.Guid" => "38",
            "System.DateTime" or "System.TimeSpan" or "System.TimeOnly" => "10",
            _ => "24",
        };
    }
}
