namespace Ambrosia.Protocol.Tests;

public sealed class VarintTests
{
    [Fact]
    public void Numbers_of_every_length_come_back()
    {
        var random = new Random(1);
        byte[] room = new byte[Varint.MaxSize64];
        for (int i = 0; i < 100_000; i++)
        {
            ulong value = (ulong)random.NextInt64(long.MinValue, long.MaxValue) >> random.Next(64);
            int size = Varint.Write(room, value);

            Assert.Equal(Varint.Size(value), size);
            Assert.True(Varint.TryRead(room.AsSpan(0, size), out ulong read, out int consumed));
            Assert.Equal((value, size), (read, consumed));
        }
    }

    [Fact]
    public void Signed_numbers_of_every_length_come_back()
    {
        var random = new Random(2);
        byte[] room = new byte[Varint.MaxSize64];
        for (int i = 0; i < 100_000; i++)
        {
            long value = random.NextInt64(long.MinValue, long.MaxValue) >> random.Next(64);
            int size = Varint.WriteZigZag(room, value);

            Assert.Equal(Varint.SizeZigZag(value), size);
            Assert.True(Varint.TryReadZigZag(room.AsSpan(0, size), out long read, out int consumed));
            Assert.Equal((value, size), (read, consumed));
        }
    }

    [Fact]
    public void A_cut_number_asks_for_more_and_a_too_long_one_is_refused()
    {
        byte[] largest = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01];
        for (int length = 0; length < largest.Length; length++)
        {
            Assert.False(Varint.TryRead(largest.AsSpan(0, length), out _, out int size));
            Assert.Equal(0, size);
        }

        largest[^1] = 0x02;
        Assert.False(Varint.TryRead(largest, out _, out int refused));
        Assert.Equal(-1, refused);
    }

    [Fact]
    public void Bytes_behind_a_number_are_left_alone()
    {
        Assert.True(Varint.TryRead([0x05, 0xFF, 0xFF], out ulong value, out int size));
        Assert.Equal((5UL, 1), (value, size));
    }
}
