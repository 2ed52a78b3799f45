using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Serialization;

/// <summary>Bytes from the MessagePack specification and from the format's shared test suite.</summary>
public sealed class PublishedVectorTests
{
    [Theory]
    [InlineData(0L, "00")]
    [InlineData(1L, "01")]
    [InlineData(127L, "7F")]
    [InlineData(128L, "CC80")]
    [InlineData(255L, "CCFF")]
    [InlineData(256L, "CD0100")]
    [InlineData(65535L, "CDFFFF")]
    [InlineData(65536L, "CE00010000")]
    [InlineData(2147483647L, "CE7FFFFFFF")]
    [InlineData(4294967295L, "CEFFFFFFFF")]
    [InlineData(4294967296L, "CF0000000100000000")]
    [InlineData(long.MaxValue, "CF7FFFFFFFFFFFFFFF")]
    [InlineData(-1L, "FF")]
    [InlineData(-32L, "E0")]
    [InlineData(-33L, "D0DF")]
    [InlineData(-128L, "D080")]
    [InlineData(-129L, "D1FF7F")]
    [InlineData(-32768L, "D18000")]
    [InlineData(-32769L, "D2FFFF7FFF")]
    [InlineData(-2147483648L, "D280000000")]
    [InlineData(-2147483649L, "D3FFFFFFFF7FFFFFFF")]
    [InlineData(long.MinValue, "D38000000000000000")]
    public void Integers_take_the_published_shortest_form(long value, string hex)
    {
        Assert.Equal(hex, Codec.Hex<long, Int64Formatter>(value));
        Assert.Equal(value, Codec.Read<long, Int64Formatter>(Convert.FromHexString(hex)));
    }

    [Theory]
    [InlineData("7F", 127)]
    [InlineData("CC7F", 127)]
    [InlineData("CD007F", 127)]
    [InlineData("CE0000007F", 127)]
    [InlineData("CF000000000000007F", 127)]
    [InlineData("D07F", 127)]
    [InlineData("D1007F", 127)]
    [InlineData("D20000007F", 127)]
    [InlineData("D3000000000000007F", 127)]
    [InlineData("FF", -1)]
    [InlineData("D0FF", -1)]
    [InlineData("D3FFFFFFFFFFFFFFFF", -1)]
    public void Integers_are_read_in_every_published_form(string hex, int value)
    {
        Assert.Equal(value, Codec.Read<int, Int32Formatter>(Convert.FromHexString(hex)));
        if (value >= 0)
        {
            Assert.Equal((ulong)value, Codec.Read<ulong, UInt64Formatter>(Convert.FromHexString(hex)));
        }
    }

    [Theory]
    [InlineData("", "A0")]
    [InlineData("a", "A161")]
    [InlineData("1234567890123456789012345678901", "BF31323334353637383930313233343536373839303132333435363738393031")]
    [InlineData("12345678901234567890123456789012", "D9203132333435363738393031323334353637383930313233343536373839303132")]
    [InlineData("Кириллица", "B2D09AD0B8D180D0B8D0BBD0BBD0B8D186D0B0")]
    [InlineData("ひらがな", "ACE381B2E38289E3818CE381AA")]
    [InlineData("❤", "A3E29DA4")]
    [InlineData("🍺", "A4F09F8DBA")]
    public void Text_takes_the_published_form(string value, string hex)
    {
        Assert.Equal(hex, Codec.Hex<string, StringFormatter>(value));
        Assert.Equal(value, Codec.Read<string, StringFormatter>(Convert.FromHexString(hex)));
    }

    [Theory]
    [InlineData(1514862245, 0, "D6FF5A4AF6A5")]
    [InlineData(1514862245, 678901200, "D7FFA1DCD7405A4AF6A5")]
    [InlineData(2147483648, 0, "D6FF80000000")]
    [InlineData(4294967295, 0, "D6FFFFFFFFFF")]
    [InlineData(4294967296, 0, "D7FF0000000100000000")]
    [InlineData(17179869183, 999999900, "D7FFEE6B2673FFFFFFFF")]
    [InlineData(17179869184, 0, "C70CFF000000000000000400000000")]
    [InlineData(-1, 0, "C70CFF00000000FFFFFFFFFFFFFFFF")]
    [InlineData(0, 0, "D6FF00000000")]
    public void Timestamps_take_the_published_form(long seconds, int nanoseconds, string hex)
    {
        DateTime value = DateTime.UnixEpoch.AddTicks((seconds * TimeSpan.TicksPerSecond) + (nanoseconds / 100));
        Assert.Equal(hex, Codec.Hex<DateTime, DateTimeFormatter>(value));
        Assert.Equal(value, Codec.Read<DateTime, DateTimeFormatter>(Convert.FromHexString(hex)));
    }

    [Fact]
    public void Nanoseconds_below_a_tick_are_cut()
    {
        DateTime read = Codec.Read<DateTime, DateTimeFormatter>(Convert.FromHexString("D7FFA1DCD7C85A4AF6A5"));
        Assert.Equal(DateTime.UnixEpoch.AddSeconds(1514862245).AddTicks(6789012), read);
        Assert.Equal(DateTimeKind.Utc, read.Kind);
    }

    [Fact]
    public void Other_values_take_the_published_form()
    {
        Assert.Equal("C0", Codec.Hex<string?, OptionalFormatter<string, StringFormatter>>(null));
        Assert.Equal("C2", Codec.Hex<bool, BooleanFormatter>(false));
        Assert.Equal("C3", Codec.Hex<bool, BooleanFormatter>(true));
        Assert.Equal("CB3FE0000000000000", Codec.Hex<double, DoubleFormatter>(0.5));
        Assert.Equal("CA3F000000", Codec.Hex<float, SingleFormatter>(0.5f));
        Assert.Equal("C400", Codec.Hex<byte[], ByteArrayFormatter>([]));
        Assert.Equal("C40101", Codec.Hex<byte[], ByteArrayFormatter>([1]));
        Assert.Equal("C40200FF", Codec.Hex<byte[], ByteArrayFormatter>([0, 255]));
        Assert.Equal("90", Codec.Hex<int[], ArrayFormatter<int, Int32Formatter>>([]));
        Assert.Equal("9F0102030405060708090A0B0C0D0E0F",
            Codec.Hex<int[], ArrayFormatter<int, Int32Formatter>>([.. Enumerable.Range(1, 15)]));
        Assert.Equal("DC00100102030405060708090A0B0C0D0E0F10",
            Codec.Hex<int[], ArrayFormatter<int, Int32Formatter>>([.. Enumerable.Range(1, 16)]));
        Assert.Equal(
            "82A161" + "01" + "A162" + "02",
            Codec.Hex<Dictionary<string, int>, DictionaryFormatter<string, int, StringFormatter, Int32Formatter>>(new()
                { ["a"] = 1, ["b"] = 2 }));
    }

    [Theory]
    [InlineData("CA3F800000", 1)]
    [InlineData("CB3FF0000000000000", 1)]
    [InlineData("01", 1)]
    [InlineData("FF", -1)]
    [InlineData("CFFFFFFFFFFFFFFFFF", 18446744073709551615d)]
    public void A_number_may_be_read_as_floating_point_however_it_was_written(string hex, double value) =>
        Assert.Equal(value, Codec.Read<double, DoubleFormatter>(Convert.FromHexString(hex)));
}
