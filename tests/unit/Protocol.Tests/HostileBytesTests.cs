using System.Buffers;
using Ambrosia.Protocol.Tests.Support;

namespace Ambrosia.Protocol.Tests;

/// <summary>
/// G14: whatever the bytes are, a parser returns or throws <see cref="ProtocolException"/>, and takes memory in proportion to what came,
/// not to what was announced.
/// </summary>
public sealed class HostileBytesTests
{
    // A refusal costs an exception with its text and stack; decoded text is two bytes per character, twice for growing buffers.
    private const long AllocationOfRefusal = 32 * 1024;
    private const int AllocationPerByte = 64;

    // A fixed header is read once its bytes are there; the last two decoders are test code around it and the scanner.
    public static TheoryData<string> Structures =>
        [.. Decoders.All.Keys.Where(s => s is not ("crc32c" or "message" or "legacy-record" or "record-header"))];

    [Theory]
    [MemberData(nameof(Structures))]
    public void Truncations_at_every_length(string structure)
    {
        foreach (Vector vector in Of(structure))
        {
            for (int length = 0; length < vector.Bytes.Length; length++)
            {
                Feed(structure, vector.Bytes[..length]);
            }
        }
    }

    [Theory]
    [MemberData(nameof(Structures))]
    public void Every_flipped_bit(string structure)
    {
        foreach (Vector vector in Of(structure))
        {
            byte[] bytes = [.. vector.Bytes];
            for (int bit = 0; bit < bytes.Length * 8; bit++)
            {
                bytes[bit / 8] ^= (byte)(1 << (bit % 8));
                Feed(structure, bytes);
                bytes[bit / 8] ^= (byte)(1 << (bit % 8));
            }
        }
    }

    [Theory]
    [MemberData(nameof(Structures))]
    public void Random_bytes(string structure)
    {
        var random = new Random(8);
        for (int round = 0; round < 5_000; round++)
        {
            byte[] bytes = new byte[random.Next(100)];
            random.NextBytes(bytes);
            Feed(structure, bytes);
        }
    }

    [Theory]
    [MemberData(nameof(Structures))]
    public void Huge_numbers_spliced_in_at_every_place(string structure)
    {
        byte[][] numbers =
        [
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
            [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
            [0xFF, 0xFF, 0xFF, 0xFF, 0x07],
            [0xFE, 0xFF, 0xFF, 0xFF, 0x0F],
            [0xFF, 0xFF, 0xFF, 0xFF],
            [0x80],
            [0x00],
        ];
        foreach (Vector vector in Of(structure))
        {
            for (int offset = 0; offset <= vector.Bytes.Length; offset++)
            {
                foreach (byte[] number in numbers)
                {
                    int rest = Math.Min(offset + number.Length, vector.Bytes.Length);
                    Feed(structure, [.. vector.Bytes[..offset], .. number, .. vector.Bytes[rest..]]);
                    Feed(structure, [.. vector.Bytes[..offset], .. number, .. vector.Bytes[offset..]]);
                }
            }
        }
    }

    [Theory]
    [MemberData(nameof(Structures))]
    public void Vectors_spliced_with_each_other(string structure)
    {
        var random = new Random(9);
        byte[][] corpus = [.. Vector.All.Where(v => v.Bytes.Length > 0).Select(v => v.Bytes)];
        for (int round = 0; round < 5_000; round++)
        {
            byte[] head = corpus[random.Next(corpus.Length)];
            byte[] tail = corpus[random.Next(corpus.Length)];
            Feed(structure, [.. head[..random.Next(head.Length + 1)], .. tail[random.Next(tail.Length)..]]);
        }
    }

    [Fact]
    public void Frames_and_batches_cut_into_pieces_are_judged_as_whole_ones_are()
    {
        var random = new Random(10);
        foreach (Vector vector in Of("frame").Concat(Of("batch")))
        {
            for (int round = 0; round < 200; round++)
            {
                byte[] bytes = [.. vector.Bytes];
                bytes[random.Next(bytes.Length)] ^= (byte)(1 << random.Next(8));
                ReadOnlySequence<byte> cut = Pieces.Cut(bytes, random.Next(bytes.Length), random.Next(bytes.Length));

                Assert.Equal(Verdict(vector.Structure, new ReadOnlySequence<byte>(bytes)), Verdict(vector.Structure, cut));
            }
        }
    }

    private static string Verdict(string structure, ReadOnlySequence<byte> bytes)
    {
        try
        {
            return structure == "frame"
                ? $"{FrameReader.TryRead(ref bytes, FrameLimits.SmallBody, out FrameHeader header, out ReadOnlySequence<byte> body)} "
                + $"{header} {body.Length}"
                : $"{BatchHeader.Read(bytes, out ReadOnlySequence<byte> messages)} {messages.Length}";
        }
        catch (ProtocolException refused)
        {
            return refused.Message;
        }
    }

    private static List<Vector> Of(string structure)
    {
        List<Vector> vectors = [.. Vector.All.Where(v => v.Structure == structure && v.Bytes.Length is > 0 and < 300)];
        Assert.NotEmpty(vectors);
        return vectors;
    }

    private static void Feed(string structure, byte[] bytes)
    {
        Func<byte[], Fields> decode = Decoders.All[structure];
        long before = GC.GetAllocatedBytesForCurrentThread();
        try
        {
            decode(bytes);
        }
        catch (ProtocolException)
        {
            // Refused, as it should be.
        }

        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.True(allocated <= AllocationOfRefusal + (long)AllocationPerByte * bytes.Length,
            $"{allocated} bytes for {bytes.Length}: {Convert.ToHexString(bytes)}");
    }
}
