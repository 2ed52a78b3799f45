namespace Ambrosia.Runtime;

/// <summary>
/// Types that the type table names by one byte, with the encoding of their values. Little-endian, fixed width unless said otherwise.
/// </summary>
internal enum Primitive : byte
{
    Boolean = 1,
    Byte = 2,
    SByte = 3,
    Int16 = 4,
    UInt16 = 5,
    Int32 = 6,
    UInt32 = 7,
    Int64 = 8,
    UInt64 = 9,
    Char = 10,
    Single = 11,
    Double = 12,
    Half = 13,
    Int128 = 14,
    UInt128 = 15,

    /// <summary>The four 32-bit numbers of decimal.GetBits, so that trailing zeros survive.</summary>
    Decimal = 16,

    /// <summary>As Guid.TryWriteBytes.</summary>
    Guid = 17,

    /// <summary>Ticks in the low 62 bits, kind above.</summary>
    DateTime = 18,

    /// <summary>Ticks of the clock time, then the offset in minutes (16 bits).</summary>
    DateTimeOffset = 19,
    TimeSpan = 20,
    DateOnly = 21,
    TimeOnly = 22,
    Rune = 23,

    /// <summary>Start, then end; each a 32-bit number, from the end if negative (bitwise complement).</summary>
    Range = 24,
    Index = 25,

    /// <summary>Length, then two's complement bytes, lowest first.</summary>
    BigInteger = 26,

    /// <summary>Real, then imaginary part.</summary>
    Complex = 27,

    /// <summary>A token that can never be cancelled: the only one that may be saved. One zero byte.</summary>
    CancellationToken = 28,

    /// <summary>A class: see <see cref="Category.Text"/>.</summary>
    String = 40,
    Object = 41,
}
