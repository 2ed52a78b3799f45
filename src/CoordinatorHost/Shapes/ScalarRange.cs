using System.Numerics;

namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>Which integers a type holds.</summary>
internal static class ScalarRange
{
    /// <summary>Largest integer that every reader of JSON takes as it is, in both directions.</summary>
    public const long Safe = (1L << 53) - 1;

    /// <summary>The least and the largest; null for a type that has no bounds, or is no integer.</summary>
    public static (BigInteger Least, BigInteger Most)? Of(ScalarKind kind) => kind switch
    {
        ScalarKind.Int8 => (sbyte.MinValue, sbyte.MaxValue),
        ScalarKind.Int16 => (short.MinValue, short.MaxValue),
        ScalarKind.Int32 => (int.MinValue, int.MaxValue),
        ScalarKind.Int64 => (long.MinValue, long.MaxValue),
        ScalarKind.UInt8 => (byte.MinValue, byte.MaxValue),
        ScalarKind.UInt16 => (ushort.MinValue, ushort.MaxValue),
        ScalarKind.UInt32 => (uint.MinValue, uint.MaxValue),
        ScalarKind.UInt64 => (ulong.MinValue, ulong.MaxValue),
        ScalarKind.Int128 => ((BigInteger)Int128.MinValue, (BigInteger)Int128.MaxValue),
        ScalarKind.UInt128 => (UInt128.MinValue, (BigInteger)UInt128.MaxValue),
        _ => null,
    };

    /// <summary>Whether its values are integers in JSON.</summary>
    public static bool IsInteger(ScalarKind kind) => kind is >= ScalarKind.Int8 and <= ScalarKind.Integer;
}
