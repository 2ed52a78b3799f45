using System.Buffers;
using System.Numerics;
using System.Text;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.Serialization;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>MessagePack values of all built-in formatters, of generated ones, and skipped without one. The first byte says which.</summary>
internal sealed class FormatterTarget : FuzzTarget
{
    private static readonly ICodec[] s_codecs =
    [
        new Codec<bool, BooleanFormatter>(true), new Codec<long, Int64Formatter>(-5_000_000_000),
        new Codec<ulong, UInt64Formatter>(ulong.MaxValue), new Codec<short, Int16Formatter>(-300),
        new Codec<double, DoubleFormatter>(1.5), new Codec<float, SingleFormatter>(-2), new Codec<char, CharFormatter>('x'),
        new Codec<string, StringFormatter>("zwölf"),
        new Codec<decimal, DecimalFormatter>(12.50m), new Codec<Guid, GuidFormatter>(new Guid("11111111-2222-3333-4444-555555555555")),
        new Codec<Uri, UriFormatter>(new Uri("http://a/b?c")),
        new Codec<Version, VersionFormatter>(new Version(1, 2, 3)),
        new Codec<DateTime, DateTimeFormatter>(new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc)),
        new Codec<DateTimeOffset, DateTimeOffsetFormatter>(new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.FromHours(2))),
        new Codec<DateOnly, DateOnlyFormatter>(new DateOnly(2026, 1, 2)),
        new Codec<TimeOnly, TimeOnlyFormatter>(new TimeOnly(3, 4, 5)), new Codec<TimeSpan, TimeSpanFormatter>(TimeSpan.FromDays(-1)),
        new Codec<Int128, Int128Formatter>(Int128.MinValue),
        new Codec<UInt128, UInt128Formatter>(7), new Codec<Rune, RuneFormatter>(new Rune(0x1F600)),
        new Codec<BigInteger, BigIntegerFormatter>(BigInteger.Pow(3, 90)), new Codec<Half, HalfFormatter>((Half)1),
        new Codec<byte[], ByteArrayFormatter>([1, 2, 3]),
        new Codec<List<string?>, ListFormatter<string?, OptionalFormatter<string, StringFormatter>>>(["a", null]),
        new Codec<Dictionary<string, int[]>, DictionaryFormatter<string, int[], StringFormatter, ArrayFormatter<int, Int32Formatter>>>(new()
            { ["a"] = [1, 2], ["b"] = [] }),
        new Codec<HashSet<long>, HashSetFormatter<long, Int64Formatter>>([1, 2, 300]),
        new Codec<(int, string, bool), ValueTuple3Formatter<int, string, bool, Int32Formatter, StringFormatter, BooleanFormatter>>(
            (1, "x", true)),
        new Codec<int?, NullableFormatter<int, Int32Formatter>>(null), Generated<Parcel>(Sample), Generated<Content>(new Books(["x"], [3])),
    ];

    private readonly ArrayBufferWriter<byte> _output = new(1024);

    public override string Name => "messagepack";

    public override int Weight => 14;

    public override long AllocationBase => 16 * 1024;

    // An empty list in a record is one byte; the object that it becomes is fifty.
    public override int AllocationFactor => 256;

    public override IEnumerable<byte[]> Seeds()
    {
        for (int i = 0; i < s_codecs.Length; i++)
        {
            yield return [(byte)i, .. s_codecs[i].Seed()];
        }

        yield return [(byte)s_codecs.Length, 0x93, 0xC0, 0x81, 0xA1, 0x61, 0xC4, 0x01, 0x02, 0xD6, 0xFF, 0, 0, 0, 1];
        yield return [7, 0xDB, 0xFF, 0xFF, 0xFF, 0xFF, 0x61];
        yield return [(byte)s_codecs.Length, .. Enumerable.Repeat((byte)0x91, 300), 0xC0];
        yield return [28, .. Enumerable.Repeat(0, 60).SelectMany(static _ => Deeper()), 0xC0];
    }

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        if (input.IsEmpty)
        {
            return "empty";
        }

        int codec = input.Span[0] % (s_codecs.Length + 1);
        ReadOnlySpan<byte> bytes = input.Span[1..];
        if (codec < s_codecs.Length)
        {
            _output.ResetWrittenCount();
            Require(s_codecs[codec].IsSame(bytes, _output),
                "what was written again reads as the same, and skipping ends where reading does");
            return Accepted;
        }

        MessagePackReader reader = new(bytes);
        reader.Skip();
        Require(reader.Position > 0 && reader.Position <= bytes.Length, "skipping ends within the bytes");
        return "skipped";
    }

    public override string? ReasonOf(Exception error) => (error as MessagePackException)?.Error.ToString();

    private static Parcel Sample => new("a", 1, DateTime.UnixEpoch, [1, 2.5], new Fluid(1.5m, null, TimeSpan.Zero),
        [new Parcel("b", 2, DateTime.UnixEpoch, null, new Books(["t"], [1]), [])]);

    /// <summary>The beginning of a parcel inside the list of the parcel around it.</summary>
    private static byte[] Deeper() => [0x81, 0xA6, .. "Others"u8, 0x91];

    private static ICodec Generated<T>(T sample)
    {
        Type formatter = typeof(FormatterTarget).Assembly.GetTypes().Single(static type =>
            type.Namespace == "Ambrosia.Generated" && typeof(IFormatter<T>).IsAssignableFrom(type) && !IsOfOneType<T>(type));
        return (ICodec)Activator.CreateInstance(typeof(Codec<,>).MakeGenericType(typeof(T), formatter), sample)!;
    }

    /// <summary>A union's base has a formatter for itself, too, which knows nothing of the types derived from it.</summary>
    private static bool IsOfOneType<T>(Type formatter) =>
        typeof(T) == typeof(Content) && !formatter.Name.Contains("Union", StringComparison.Ordinal);

    private interface ICodec
    {
        byte[] Seed();

        bool IsSame(ReadOnlySpan<byte> bytes, ArrayBufferWriter<byte> output);
    }

    private sealed class Codec<T, TFormatter>(T sample) : ICodec
        where TFormatter : struct, IFormatter<T>
    {
        public byte[] Seed()
        {
            ArrayBufferWriter<byte> output = new();
            Write(sample, output);
            return output.WrittenSpan.ToArray();
        }

        public bool IsSame(ReadOnlySpan<byte> bytes, ArrayBufferWriter<byte> output)
        {
            MessagePackReader reader = new(bytes);
            T value = default(TFormatter).Read(ref reader);
            MessagePackReader skipper = new(bytes);
            skipper.Skip();
            if (skipper.Position != reader.Position)
            {
                return false;
            }

            // Not every value is equal to itself (NaN, lists): the second writing must not differ from the first.
            Write(value, output);
            if (output.WrittenSpan.SequenceEqual(bytes[..(int)reader.Position]))
            {
                return true;
            }

            byte[] first = output.WrittenSpan.ToArray();
            MessagePackReader again = new(first);
            T same = default(TFormatter).Read(ref again);
            output.ResetWrittenCount();
            Write(same, output);
            return again.Position == first.Length && output.WrittenSpan.SequenceEqual(first);
        }

        private static void Write(T value, ArrayBufferWriter<byte> output)
        {
            MessagePackWriter writer = new(output);
            default(TFormatter).Write(ref writer, value);
            writer.Flush();
        }
    }
}
