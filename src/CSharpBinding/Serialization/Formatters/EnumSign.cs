namespace Ambrosia.Serialization;

/// <summary>Whether the numbers of an enumeration are signed; asked once per type.</summary>
internal static class EnumSign<T>
    where T : unmanaged, Enum
{
    public static readonly bool IsSigned =
        Type.GetTypeCode(Enum.GetUnderlyingType(typeof(T))) is TypeCode.SByte or TypeCode.Int16 or TypeCode.Int32 or TypeCode.Int64;
}
