using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Serialization;

/// <summary>G14 for the serializer: no bytes crash it, hang it, or make it reserve memory that nobody sent.</summary>
public sealed class HostileBytesTests
{
    [Theory]
    [InlineData("DDFFFFFFFF")]
    [InlineData("DD7FFFFFFF01")]
    [InlineData("DCFFFF00")]
    public void A_count_beyond_the_remaining_bytes_is_refused_before_anything_is_reserved(string hex)
    {
        byte[] bytes = Convert.FromHexString(hex);
        long before = GC.GetAllocatedBytesForCurrentThread();
        MessagePackException error = Codec.Refused<long[], ArrayFormatter<long, Int64Formatter>>(bytes);
        Assert.Equal(MessagePackError.CountExceedsData, error.Error);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 100_000);
    }

    [Theory]
    [InlineData("DBFFFFFFFF61")]
    [InlineData("D9FF61")]
    [InlineData("A261")]
    public void A_text_longer_than_the_remaining_bytes_is_refused(string hex) =>
        Assert.Equal(MessagePackError.CountExceedsData, Codec.Refused<string, StringFormatter>(Convert.FromHexString(hex)).Error);

    [Theory]
    [InlineData("C6FFFFFFFF00")]
    [InlineData("C4FF00")]
    public void Binary_data_longer_than_the_remaining_bytes_is_refused(string hex) =>
        Assert.Equal(MessagePackError.CountExceedsData, Codec.Refused<byte[], ByteArrayFormatter>(Convert.FromHexString(hex)).Error);

    [Fact]
    public void A_map_needs_two_bytes_for_each_announced_pair() =>
        Assert.Equal(
            MessagePackError.CountExceedsData,
            Codec.Refused<Dictionary<int, int>, DictionaryFormatter<int, int, Int32Formatter, Int32Formatter>>(
                [0xDE, 0x00, 0x02, 1, 2, 3]).Error);

    [Fact]
    public void A_great_count_reserves_as_elements_arrive()
    {
        // One byte per element, wide elements: what is reserved stays in proportion to what was sent.
        byte[] bytes = [0xDD, 0x00, 0x0F, 0x42, 0x40, .. new byte[1_000_000]];
        bytes[50] = 0xC1; // Element 45 is no value.
        long before = GC.GetAllocatedBytesForCurrentThread();
        Codec.Refused<long[], ArrayFormatter<long, Int64Formatter>>(bytes);
        Codec.Refused<List<long>, ListFormatter<long, Int64Formatter>>(bytes);
        Codec.Refused<HashSet<long>, HashSetFormatter<long, Int64Formatter>>(bytes);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 200_000);
    }

    [Fact]
    public void Nesting_is_bounded_when_reading()
    {
        byte[] bytes = [.. Enumerable.Repeat((byte)0x91, 100_000), 0x01];
        MessagePackReader reader = new(bytes);
        MessagePackException? error = null;
        try
        {
            ReadNested(ref reader);
        }
        catch (MessagePackException found)
        {
            error = found;
        }

        Assert.Equal(MessagePackError.TooDeep, error?.Error);
        Assert.Equal(MessagePackLimits.MaxDepth, error?.Offset);
    }

    [Fact]
    public void Skipping_needs_no_stack()
    {
        MessagePackReader reader = new([.. Enumerable.Repeat((byte)0x91, 1_000_000), 0x01, 0x07]);
        reader.Skip();
        Assert.Equal(7, reader.ReadInt32());
    }

    [Fact]
    public void Text_that_is_not_utf8_is_refused() =>
        Assert.Equal(MessagePackError.InvalidText, Codec.Refused<string, StringFormatter>([0xA2, 0xC3, 0x28]).Error);

    [Theory]
    [InlineData("CD0100", "Byte")]
    [InlineData("FF", "Byte")]
    public void A_number_beyond_its_type_is_refused(string hex, string type)
    {
        MessagePackException error = Codec.Refused<byte, ByteFormatter>(Convert.FromHexString(hex));
        Assert.Equal($"the value is not a valid {type} (byte 0).", error.Message);
        Assert.Equal(MessagePackError.OutOfRange, error.Error);
    }

    [Theory]
    [InlineData("D7FFFFFFFFFF00000000")] // 1073741823 nanoseconds
    [InlineData("C70CFF000000007FFFFFFFFFFFFFFF")]
    [InlineData("C70CFF000000008000000000000000")]
    public void A_timestamp_beyond_the_calendar_is_refused(string hex) =>
        Assert.Equal(MessagePackError.OutOfRange, Codec.Refused<DateTime, DateTimeFormatter>(Convert.FromHexString(hex)).Error);

    [Theory]
    [InlineData("D60100000000")]
    [InlineData("D5FF0000")]
    public void Another_extension_is_no_timestamp(string hex) =>
        Assert.Equal(MessagePackError.WrongType, Codec.Refused<DateTime, DateTimeFormatter>(Convert.FromHexString(hex)).Error);

    [Fact]
    public void Random_bytes_are_read_or_refused_but_nothing_else()
    {
        for (int seed = 0; seed < Extent.Of(everyday: 3000, full: 20_000, soak: 200_000); seed++)
        {
            Random random = new(seed);
            byte[] bytes = new byte[random.Next(1, 40)];
            random.NextBytes(bytes);
            bytes[0] = random.Next(4) switch { 0 => bytes[0], 1 => 0x93, 2 => 0xDC, _ => 0x82 };
            try
            {
                ReadAsEverything(bytes);
            }
            catch (Exception error)
            {
                Assert.Fail($"Seed {seed}: {error}");
            }
        }
    }

    private static void ReadNested(ref MessagePackReader reader)
    {
        reader.Enter();
        if (reader.ReadArrayHeader() > 0)
        {
            ReadNested(ref reader);
        }

        reader.Leave();
    }

    private static void ReadAsEverything(byte[] bytes)
    {
        Try<bool, BooleanFormatter>(bytes);
        Try<long, Int64Formatter>(bytes);
        Try<ulong, UInt64Formatter>(bytes);
        Try<double, DoubleFormatter>(bytes);
        Try<string, StringFormatter>(bytes);
        Try<decimal, DecimalFormatter>(bytes);
        Try<Guid, GuidFormatter>(bytes);
        Try<Uri, UriFormatter>(bytes);
        Try<Version, VersionFormatter>(bytes);
        Try<DateTime, DateTimeFormatter>(bytes);
        Try<DateTimeOffset, DateTimeOffsetFormatter>(bytes);
        Try<DateOnly, DateOnlyFormatter>(bytes);
        Try<TimeOnly, TimeOnlyFormatter>(bytes);
        Try<Int128, Int128Formatter>(bytes);
        Try<System.Text.Rune, RuneFormatter>(bytes);
        Try<System.Numerics.BigInteger, BigIntegerFormatter>(bytes);
        Try<List<string?>, ListFormatter<string?, OptionalFormatter<string, StringFormatter>>>(bytes);
        Try<Dictionary<string, int[]>, DictionaryFormatter<string, int[], StringFormatter, ArrayFormatter<int, Int32Formatter>>>(bytes);
        Try<(int, string, bool), ValueTuple3Formatter<int, string, bool, Int32Formatter, StringFormatter, BooleanFormatter>>(bytes);
        try
        {
            MessagePackReader reader = new(bytes);
            reader.Skip();
        }
        catch (MessagePackException error)
        {
            Assert.InRange(error.Offset, 0, bytes.Length);
        }
    }

    private static void Try<T, TFormatter>(byte[] bytes)
        where TFormatter : struct, IFormatter<T>
    {
        try
        {
            MessagePackReader reader = new(bytes);
            default(TFormatter).Read(ref reader);
        }
        catch (MessagePackException error)
        {
            Assert.InRange(error.Offset, 0, bytes.Length);
        }
    }
}
