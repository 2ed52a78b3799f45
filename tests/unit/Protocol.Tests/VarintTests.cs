using Ambrosia.Protocol.Tests.Support;
using FsCheck.Xunit;

namespace Ambrosia.Protocol.Tests;

[Properties(Arbitrary = [typeof(Drawn)], MaxTest = 100_000, Replay = "1,1", QuietOnSuccess = true)]
public sealed class VarintTests
{
    private readonly byte[] _room = new byte[Varint.MaxSize64];

    [Property]
    public void Numbers_of_every_length_come_back(ulong value)
    {
        int size = Varint.Write(_room, value);

        Assert.Equal(Varint.Size(value), size);
        Assert.True(Varint.TryRead(_room.AsSpan(0, size), out ulong read, out int consumed));
        Assert.Equal((value, size), (read, consumed));
    }

    [Property]
    public void Signed_numbers_of_every_length_come_back(long value)
    {
        int size = Varint.WriteZigZag(_room, value);

        Assert.Equal(Varint.SizeZigZag(value), size);
        Assert.True(Varint.TryReadZigZag(_room.AsSpan(0, size), out long read, out int consumed));
        Assert.Equal((value, size), (read, consumed));
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
