namespace Ambrosia.Serialization;

/// <summary>First bytes of MessagePack values, by the names of the format's specification.</summary>
internal static class MessagePackCode
{
    public const byte MaxPositiveFixInt = 0x7f;
    public const byte FixMap = 0x80;
    public const byte FixArray = 0x90;
    public const byte FixStr = 0xa0;
    public const byte Nil = 0xc0;
    public const byte NeverUsed = 0xc1;
    public const byte False = 0xc2;
    public const byte True = 0xc3;
    public const byte Bin8 = 0xc4;
    public const byte Bin16 = 0xc5;
    public const byte Bin32 = 0xc6;
    public const byte Ext8 = 0xc7;
    public const byte Ext16 = 0xc8;
    public const byte Ext32 = 0xc9;
    public const byte Float32 = 0xca;
    public const byte Float64 = 0xcb;
    public const byte UInt8 = 0xcc;
    public const byte UInt16 = 0xcd;
    public const byte UInt32 = 0xce;
    public const byte UInt64 = 0xcf;
    public const byte Int8 = 0xd0;
    public const byte Int16 = 0xd1;
    public const byte Int32 = 0xd2;
    public const byte Int64 = 0xd3;
    public const byte FixExt1 = 0xd4;
    public const byte FixExt2 = 0xd5;
    public const byte FixExt4 = 0xd6;
    public const byte FixExt8 = 0xd7;
    public const byte FixExt16 = 0xd8;
    public const byte Str8 = 0xd9;
    public const byte Str16 = 0xda;
    public const byte Str32 = 0xdb;
    public const byte Array16 = 0xdc;
    public const byte Array32 = 0xdd;
    public const byte Map16 = 0xde;
    public const byte Map32 = 0xdf;
    public const byte MinNegativeFixInt = 0xe0;

    /// <summary>The extension type of a timestamp.</summary>
    public const sbyte Timestamp = -1;

    /// <summary>The kind of value that a first byte announces, in words for an error text.</summary>
    public static string Describe(byte code) => code switch
    {
        <= MaxPositiveFixInt or >= MinNegativeFixInt or >= UInt8 and <= Int64 => "an integer",
        < FixArray or Map16 or Map32 => "a map",
        < FixStr or Array16 or Array32 => "an array",
        < Nil or Str8 or Str16 or Str32 => "text",
        Nil => "null",
        False or True => "a truth value",
        Bin8 or Bin16 or Bin32 => "binary data",
        Float32 or Float64 => "a floating-point number",
        NeverUsed => "the byte 0xC1, which MessagePack never uses",
        _ => "an extension value",
    };
}
