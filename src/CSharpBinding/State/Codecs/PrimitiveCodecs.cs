using System.Numerics;
using System.Text;

namespace Ambrosia.Runtime;

/// <summary>The codecs of <see cref="Primitive"/>.</summary>
internal static class PrimitiveCodecs
{
    private static readonly Dictionary<Type, object> s_codecs = new()
    {
        [typeof(bool)] = new SpecialCodec<bool>(1, static (s, v) => s.WriteByte(v ? (byte)1 : (byte)0), static r => r.ReadFlag()),
        [typeof(byte)] = new NumberCodec<byte>(),
        [typeof(sbyte)] = new NumberCodec<sbyte>(),
        [typeof(short)] = new NumberCodec<short>(),
        [typeof(ushort)] = new NumberCodec<ushort>(),
        [typeof(int)] = new NumberCodec<int>(),
        [typeof(uint)] = new NumberCodec<uint>(),
        [typeof(long)] = new NumberCodec<long>(),
        [typeof(ulong)] = new NumberCodec<ulong>(),
        [typeof(char)] = new NumberCodec<char>(),
        [typeof(float)] = new NumberCodec<float>(),
        [typeof(double)] = new NumberCodec<double>(),
        [typeof(Half)] = new NumberCodec<Half>(),
        [typeof(Int128)] = new NumberCodec<Int128>(),
        [typeof(UInt128)] = new NumberCodec<UInt128>(),
        [typeof(decimal)] = new SpecialCodec<decimal>(16, WriteDecimal, ReadDecimal),
        [typeof(Guid)] = new SpecialCodec<Guid>(16, WriteGuid, ReadGuid),
        [typeof(DateTime)] = new SpecialCodec<DateTime>(
            8,
            static (s, v) => s.WriteNumber(v.Ticks | ((long)v.Kind << 62)),
            static r => r.ReadNumber<long>() is var bits ? new DateTime(bits & 0x3FFF_FFFF_FFFF_FFFF, (DateTimeKind)(bits >>> 62))
            : default),
        [typeof(DateTimeOffset)] = new SpecialCodec<DateTimeOffset>(
            10,
            static (s, v) =>
            {
                s.WriteNumber(v.Ticks);
                s.WriteNumber((short)v.TotalOffsetMinutes);
            },
            static r => new DateTimeOffset(r.ReadNumber<long>(), TimeSpan.FromMinutes(r.ReadNumber<short>()))),
        [typeof(TimeSpan)] =
            new SpecialCodec<TimeSpan>(8, static (s, v) => s.WriteNumber(v.Ticks), static r => new TimeSpan(r.ReadNumber<long>())),
        [typeof(DateOnly)] = new SpecialCodec<DateOnly>(4, static (s, v) => s.WriteNumber(v.DayNumber), static r =>
            DateOnly.FromDayNumber(r.ReadNumber<int>())),
        [typeof(TimeOnly)] =
            new SpecialCodec<TimeOnly>(8, static (s, v) => s.WriteNumber(v.Ticks), static r => new TimeOnly(r.ReadNumber<long>())),
        [typeof(Rune)] = new SpecialCodec<Rune>(4, static (s, v) => s.WriteNumber(v.Value), static r => new Rune(r.ReadNumber<int>())),
        [typeof(Index)] = new SpecialCodec<Index>(4, static (s, v) => WriteIndex(s, v), static r => ReadIndex(r)),
        [typeof(Range)] = new SpecialCodec<Range>(
            8,
            static (s, v) =>
            {
                WriteIndex(s, v.Start);
                WriteIndex(s, v.End);
            },
            static r => new Range(ReadIndex(r), ReadIndex(r))),
        [typeof(BigInteger)] = new SpecialCodec<BigInteger>(1, WriteBigInteger, ReadBigInteger),
        [typeof(Complex)] = new SpecialCodec<Complex>(
            16,
            static (s, v) =>
            {
                s.WriteNumber(v.Real);
                s.WriteNumber(v.Imaginary);
            },
            static r => new Complex(r.ReadNumber<double>(), r.ReadNumber<double>())),
        [typeof(CancellationToken)] = new SpecialCodec<CancellationToken>(1, WriteToken, ReadToken),
    };

    public static object Of(Type type) => s_codecs[type];

    private static void WriteDecimal(WriteSession session, decimal value)
    {
        Span<int> bits = stackalloc int[4];
        decimal.GetBits(value, bits);
        foreach (int part in bits)
        {
            session.WriteNumber(part);
        }
    }

    private static decimal ReadDecimal(ReadSession session)
    {
        Span<int> bits = stackalloc int[4];
        for (int i = 0; i < 4; i++)
        {
            bits[i] = session.ReadNumber<int>();
        }
        return new decimal(bits);
    }

    private static void WriteGuid(WriteSession session, Guid value)
    {
        Span<byte> bytes = stackalloc byte[16];
        value.TryWriteBytes(bytes);
        session.WriteBytes(bytes);
    }

    private static Guid ReadGuid(ReadSession session)
    {
        Span<byte> bytes = stackalloc byte[16];
        session.ReadBytes(bytes);
        return new Guid(bytes);
    }

    private static void WriteIndex(WriteSession session, Index value) => session.WriteNumber(value.IsFromEnd ? ~value.Value : value.Value);

    private static Index ReadIndex(ReadSession session) =>
        session.ReadNumber<int>() is var value && value < 0 ? new Index(~value, fromEnd: true) : new Index(value);

    private static void WriteBigInteger(WriteSession session, BigInteger value)
    {
        byte[] bytes = value.ToByteArray();
        session.WriteVarint((ulong)bytes.Length);
        session.WriteBytes(bytes);
    }

    private static BigInteger ReadBigInteger(ReadSession session)
    {
        byte[] bytes = new byte[session.ReadCount(1, "a number")];
        session.ReadBytes(bytes);
        return new BigInteger(bytes);
    }

    private static void WriteToken(WriteSession session, CancellationToken value)
    {
        if (value.CanBeCanceled)
        {
            throw new UnsavableTypeException(typeof(CancellationToken), "use a DurableCancellation, or WithTimeout.");
        }
        session.WriteByte(0);
    }

    private static CancellationToken ReadToken(ReadSession session) =>
        session.ReadByte() == 0 ? default : throw session.Corrupt("a cancellation token that can be cancelled");
}
