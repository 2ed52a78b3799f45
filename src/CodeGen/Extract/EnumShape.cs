using System.Globalization;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Extract;

/// <summary>An enum as it stands in the shapes of an interface.</summary>
/// <param name="Name">Its name, for people.</param>
/// <param name="Numbers">The integers that it is made of: int32 and the like.</param>
/// <param name="Values">Its members as those of a JSON object.</param>
internal sealed record EnumShape(string Name, string Numbers, string Values)
{
    /// <summary>That of an enum.</summary>
    public static EnumShape Of(INamedTypeSymbol type) => new(
        TypeText.People(type),
        type.EnumUnderlyingType?.SpecialType switch
        {
            SpecialType.System_SByte => "int8",
            SpecialType.System_Byte => "uint8",
            SpecialType.System_Int16 => "int16",
            SpecialType.System_UInt16 => "uint16",
            SpecialType.System_UInt32 => "uint32",
            SpecialType.System_Int64 => "int64",
            SpecialType.System_UInt64 => "uint64",
            _ => "int32",
        },
        string.Join(",", type.GetMembers().OfType<IFieldSymbol>().Where(static field => field.HasConstantValue)
            .Select(static field =>
                ShapeJson.Quote(field.Name) + ":" + Convert.ToString(field.ConstantValue, CultureInfo.InvariantCulture))));
}
