using Ambrosia.Primitives;
using Ambrosia.Protocol.Tests.Support;

namespace Ambrosia.Protocol.Tests;

public sealed class Crc32CTests
{
    [Fact]
    public void Every_length_and_every_cut_gives_the_checksum_of_the_definition()
    {
        var random = new Random(3);
        for (int length = 0; length < 80; length++)
        {
            byte[] bytes = new byte[length];
            random.NextBytes(bytes);
            uint expected = ByDefinition(bytes);

            Assert.Equal(expected, Crc32C.Compute(bytes));
            for (int cut = 0; cut <= length; cut++)
            {
                Assert.Equal(expected, Crc32C.Compute(Pieces.Cut(bytes, cut)));
            }
        }
    }

    [Theory]
    [InlineData(767)]
    [InlineData(768)]
    [InlineData(2000)]
    [InlineData(12287)]
    [InlineData(12288)]
    [InlineData(65536)]
    [InlineData(100003)]
    public void Long_spans_whose_lanes_are_computed_side_by_side_give_the_checksum_of_the_definition(int length)
    {
        byte[] bytes = new byte[length];
        new Random(length).NextBytes(bytes);
        uint expected = ByDefinition(bytes);

        Assert.Equal(expected, Crc32C.Compute(bytes));
        Assert.Equal(expected, Crc32C.Compute(Pieces.Cut(bytes, length / 3)));
        Assert.Equal(expected, Crc32C.Compute(Pieces.Cut(bytes, length - 1)));
    }

    [Fact]
    public void The_checksum_of_an_end_follows_from_those_of_the_whole_and_of_what_stands_before_it()
    {
        var random = new Random(5);
        foreach (int length in (int[])[0, 1, 2, 3, 7, 8, 100, 255, 256, 4096, 65_535, 65_536, 200_003])
        {
            byte[] bytes = new byte[length + 1];
            random.NextBytes(bytes);
            foreach (int cut in (int[])[0, 1, length / 3, length / 2, length, length + 1])
            {
                Assert.Equal(Crc32C.Compute(bytes.AsSpan(cut)),
                    Crc32C.Rest(Crc32C.Compute(bytes), Crc32C.Compute(bytes.AsSpan(0, cut)), bytes.Length - cut));
            }
        }
    }

    [Fact]
    public void Each_flipped_bit_changes_the_checksum()
    {
        byte[] bytes = [.. Enumerable.Range(0, 64).Select(i => (byte)(i * 37))];
        uint checksum = Crc32C.Compute(bytes);
        for (int bit = 0; bit < bytes.Length * 8; bit++)
        {
            bytes[bit / 8] ^= (byte)(1 << (bit % 8));
            Assert.NotEqual(checksum, Crc32C.Compute(bytes));
            bytes[bit / 8] ^= (byte)(1 << (bit % 8));
        }
    }

    private static uint ByDefinition(byte[] bytes)
    {
        uint state = 0xFFFFFFFF;
        foreach (byte b in bytes)
        {
            state ^= b;
            for (int i = 0; i < 8; i++)
            {
                state = (state >> 1) ^ ((state & 1) == 0 ? 0 : 0x82F63B78u);
            }
        }

        return ~state;
    }
}
