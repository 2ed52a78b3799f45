using System.Collections.Immutable;
using System.Numerics;
using System.Text;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Serialization;

public sealed class FormatterTests
{
    private static readonly BigInteger s_big = long.MaxValue;

    [Flags]
    public enum Small : sbyte
    {
        Low = -128,
        One = 1,
    }

    public enum Wide : ulong
    {
        Top = ulong.MaxValue,
    }

    [Fact]
    public void Every_built_in_type_comes_back_as_it_was()
    {
        foreach (int seed in Enumerable.Range(0, 200))
        {
            Values values = new(seed);
            Codec.RoundTrips<bool, BooleanFormatter>(values.Bool());
            Codec.RoundTrips<byte, ByteFormatter>((byte)values.Integer());
            Codec.RoundTrips<sbyte, SByteFormatter>((sbyte)values.Integer());
            Codec.RoundTrips<short, Int16Formatter>((short)values.Integer());
            Codec.RoundTrips<ushort, UInt16Formatter>((ushort)values.Integer());
            Codec.RoundTrips<int, Int32Formatter>((int)values.Integer());
            Codec.RoundTrips<uint, UInt32Formatter>((uint)values.Integer());
            Codec.RoundTrips<long, Int64Formatter>(values.Integer());
            Codec.RoundTrips<ulong, UInt64Formatter>((ulong)values.Integer());
            Codec.RoundTrips<Int128, Int128Formatter>((Int128)values.Integer() * values.Integer());
            Codec.RoundTrips<UInt128, UInt128Formatter>((UInt128)(ulong)values.Integer() * (ulong)values.Integer());
            Codec.RoundTrips<float, SingleFormatter>((float)values.Number());
            Codec.RoundTrips<double, DoubleFormatter>(values.Number());
            Codec.RoundTrips<Half, HalfFormatter>((Half)values.Number());
            Codec.RoundTrips<decimal, DecimalFormatter>(values.Money());
            Codec.RoundTrips<char, CharFormatter>((char)values.Integer());
            Codec.RoundTrips<Rune, RuneFormatter>(new Rune(values.Bool() ? 'x' : 0x1F37A));
            Codec.RoundTrips<string, StringFormatter>(values.Text());
            Codec.RoundTrips<byte[], ByteArrayFormatter>(values.Bytes());
            Codec.RoundTrips<Guid, GuidFormatter>(values.Guid());
            Codec.RoundTrips<BigInteger, BigIntegerFormatter>(new BigInteger(values.Bytes()));
            Codec.RoundTrips<DateTime, DateTimeFormatter>(values.Time());
            Codec.RoundTrips<DateTimeOffset, DateTimeOffsetFormatter>(values.TimeWithOffset());
            Codec.RoundTrips<TimeSpan, TimeSpanFormatter>(new TimeSpan(values.Integer()));
            Codec.RoundTrips<DateOnly, DateOnlyFormatter>(DateOnly.FromDateTime(values.Time()));
            Codec.RoundTrips<TimeOnly, TimeOnlyFormatter>(TimeOnly.FromDateTime(values.Time()));
            Codec.RoundTrips<Version, VersionFormatter>(new Version(seed, 2, 3));
            Codec.RoundTrips<Uri, UriFormatter>(
                new Uri(values.Bool() ? "/a/b?c" : "https://example.org/ä?x=1#y", UriKind.RelativeOrAbsolute));
            Codec.RoundTrips<int?, NullableFormatter<int, Int32Formatter>>(values.Bool() ? null : (int)values.Integer());
            Codec.RoundTrips<string?, OptionalFormatter<string, StringFormatter>>(values.Bool() ? null : values.Text());
        }
    }

    [Fact]
    public void Decimals_keep_their_trailing_zeros()
    {
        decimal read = Codec.Read<decimal, DecimalFormatter>(Codec.Write<decimal, DecimalFormatter>(1.500m));
        Assert.Equal("1.500", read.ToString(System.Globalization.CultureInfo.InvariantCulture));
        Codec.RoundTrips<decimal, DecimalFormatter>(decimal.MaxValue);
        Codec.RoundTrips<decimal, DecimalFormatter>(decimal.MinValue);
        Codec.RoundTrips<decimal, DecimalFormatter>(-0.0000000000000000000000000001m);
    }

    [Fact]
    public void Limits_of_the_types_come_back()
    {
        Codec.RoundTrips<DateTime, DateTimeFormatter>(DateTime.SpecifyKind(DateTime.MinValue, DateTimeKind.Utc));
        Codec.RoundTrips<DateTime, DateTimeFormatter>(DateTime.SpecifyKind(DateTime.MaxValue, DateTimeKind.Utc));
        Codec.RoundTrips<DateTimeOffset, DateTimeOffsetFormatter>(DateTimeOffset.MinValue);
        Codec.RoundTrips<DateTimeOffset, DateTimeOffsetFormatter>(DateTimeOffset.MaxValue);
        Codec.RoundTrips<Int128, Int128Formatter>(Int128.MinValue);
        Codec.RoundTrips<double, DoubleFormatter>(double.NaN);
        Codec.RoundTrips<Small, EnumFormatter<Small>>(Small.Low);
        Codec.RoundTrips<Small, EnumFormatter<Small>>(Small.One | (Small)2);
        Codec.RoundTrips<Wide, EnumFormatter<Wide>>(Wide.Top);
        Codec.RoundTrips<string, StringFormatter>(new string('x', 70_000));
        Codec.RoundTrips<byte[], ByteArrayFormatter>(new byte[70_000]);
        Codec.RoundTrips<int[], ArrayFormatter<int, Int32Formatter>>([.. Enumerable.Range(0, 70_000)]);
    }

    [Fact]
    public void A_local_time_arrives_as_utc_and_an_unspecified_one_is_taken_as_utc()
    {
        DateTime local = new(2024, 5, 6, 7, 8, 9, DateTimeKind.Local);
        Assert.Equal(local.ToUniversalTime(), Codec.Read<DateTime, DateTimeFormatter>(Codec.Write<DateTime, DateTimeFormatter>(local)));

        DateTime unspecified = new(2024, 5, 6, 7, 8, 9);
        DateTime read = Codec.Read<DateTime, DateTimeFormatter>(Codec.Write<DateTime, DateTimeFormatter>(unspecified));
        Assert.Equal((unspecified, DateTimeKind.Utc), (read, read.Kind));
    }

    [Fact]
    public void Collections_come_back_element_by_element()
    {
        foreach (int seed in Enumerable.Range(0, 60))
        {
            Values values = new(seed);
            int[] items = [.. Enumerable.Range(0, values.Count()).Select(_ => (int)values.Integer())];
            Codec.RoundTrips<int[], ArrayFormatter<int, Int32Formatter>>(items);
            Codec.RoundTrips<List<int>, ListFormatter<int, Int32Formatter>>([.. items]);
            Codec.RoundTrips<HashSet<int>, HashSetFormatter<int, Int32Formatter>>([.. items]);
            Codec.RoundTrips<Queue<int>, QueueFormatter<int, Int32Formatter>>(new Queue<int>(items));
            Codec.RoundTrips<IReadOnlyList<int>, IReadOnlyListFormatter<int, Int32Formatter>>(items);
            Codec.RoundTrips<IReadOnlyCollection<int>, IReadOnlyCollectionFormatter<int, Int32Formatter>>(items);
            Codec.RoundTrips<IList<int>, IListFormatter<int, Int32Formatter>>([.. items]);
            Codec.RoundTrips<ICollection<int>, ICollectionFormatter<int, Int32Formatter>>([.. items]);
            Codec.RoundTrips<ISet<int>, ISetFormatter<int, Int32Formatter>>(items.ToHashSet());
            Codec.RoundTrips<IReadOnlySet<int>, IReadOnlySetFormatter<int, Int32Formatter>>(items.ToHashSet());
            Codec.RoundTrips<IEnumerable<int>, IEnumerableFormatter<int, Int32Formatter>>(items);
            Codec.RoundTrips<IEnumerable<int>, IEnumerableFormatter<int, Int32Formatter>>(items.Where(static i => i % 2 == 0));
            Codec.RoundTrips<ImmutableArray<int>, ImmutableArrayFormatter<int, Int32Formatter>>([.. items], static (a, b) =>
                Assert.Equal<int>(a, b));

            Dictionary<string, int> map = items.Distinct()
                .ToDictionary(static i => i.ToString(System.Globalization.CultureInfo.InvariantCulture));
            Codec.RoundTrips<Dictionary<string, int>, DictionaryFormatter<string, int, StringFormatter, Int32Formatter>>(map);
            Codec.RoundTrips<IDictionary<string, int>, IDictionaryFormatter<string, int, StringFormatter, Int32Formatter>>(map);
            Codec.RoundTrips<IReadOnlyDictionary<string, int>, IReadOnlyDictionaryFormatter<string, int, StringFormatter, Int32Formatter>>(
                map);
            Codec.RoundTrips<SortedDictionary<string, int>, SortedDictionaryFormatter<string, int, StringFormatter, Int32Formatter>>(
                new(map));
            Codec.RoundTrips<KeyValuePair<string, int>, KeyValuePairFormatter<string, int, StringFormatter, Int32Formatter>>(new("k", 1));
            Codec.RoundTrips<(int, string), ValueTuple2Formatter<int, string, Int32Formatter, StringFormatter>>((1, values.Text()));
            Codec.RoundTrips<(int, int, int, int, int, int, int), ValueTuple7Formatter<int, int, int, int, int, int, int, Int32Formatter,
                Int32Formatter,
                Int32Formatter, Int32Formatter, Int32Formatter, Int32Formatter, Int32Formatter>>((1, 2, 3, 4, 5, 6, 7));
        }
    }

    [Fact]
    public void A_null_is_refused_where_the_type_does_not_allow_it()
    {
        MessagePackException written = Assert.Throws<MessagePackException>(() => Codec.Write<string, StringFormatter>(null!));
        Assert.Equal(MessagePackError.UnexpectedNull, written.Error);

        MessagePackReader reader = new([0x01, 0xC0]) { Subject = "Deposit.account" };
        reader.Skip();
        MessagePackException? read = null;
        try
        {
            reader.ReadString();
        }
        catch (MessagePackException error)
        {
            read = error;
        }

        Assert.Equal(MessagePackError.UnexpectedNull, read?.Error);
        Assert.Equal("Deposit.account: null stands where text belongs (byte 1).", read?.Message);
        Assert.Equal(1, read?.Offset);
    }

    [Fact]
    public void Half_a_surrogate_pair_is_refused_instead_of_replaced() =>
        Assert.Equal(MessagePackError.InvalidText,
            Assert.Throws<MessagePackException>(() => Codec.Write<string, StringFormatter>("a\ud83cb")).Error);

    [Fact]
    public void Writing_allocates_nothing()
    {
        System.Buffers.ArrayBufferWriter<byte> output = new(4096);
        Dictionary<string, int> map = new() { ["a"] = 1, ["b"] = 2 };
        List<string> list = ["some", "text", "ä❤"];
        WriteAll(output, map, list);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 100; i++)
        {
            output.ResetWrittenCount();
            WriteAll(output, map, list);
        }

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
    }

    private static void WriteAll(System.Buffers.ArrayBufferWriter<byte> output, Dictionary<string, int> map, List<string> list)
    {
        MessagePackWriter writer = new(output);
        default(Int64Formatter).Write(ref writer, 123456789);
        default(StringFormatter).Write(ref writer, "a string that is longer than thirty-one bytes, so it takes two passes");
        default(DecimalFormatter).Write(ref writer, 12.50m);
        default(GuidFormatter).Write(ref writer, Guid.Empty);
        default(DateTimeOffsetFormatter).Write(ref writer, DateTimeOffset.UnixEpoch);
        default(BigIntegerFormatter).Write(ref writer, s_big);
        default(EnumFormatter<DayOfWeek>).Write(ref writer, DayOfWeek.Friday);
        default(NullableFormatter<int, Int32Formatter>).Write(ref writer, 5);
        default(ListFormatter<string, StringFormatter>).Write(ref writer, list);
        default(DictionaryFormatter<string, int, StringFormatter, Int32Formatter>).Write(ref writer, map);
        writer.Flush();
    }
}
