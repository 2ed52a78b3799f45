using System.Buffers.Binary;

namespace Ambrosia.PowerCut.Tests.Writing;

/// <summary>
/// What a publisher writes: size, publisher, number, then bytes that follow from both, so that a message says itself whether it is whole
/// and whose it is.
/// </summary>
internal static class Message
{
    public const int HeaderSize = 16;

    public static void Write(Span<byte> destination, int publisher, long number)
    {
        BinaryPrimitives.WriteInt32LittleEndian(destination, destination.Length);
        BinaryPrimitives.WriteInt32LittleEndian(destination[4..], publisher);
        BinaryPrimitives.WriteInt64LittleEndian(destination[8..], number);
        Fill(destination[HeaderSize..], publisher, number);
    }

    /// <summary>Takes the first message off the bytes; throws with what is wrong about it.</summary>
    public static (int Publisher, long Number) Take(ref ReadOnlySpan<byte> source)
    {
        int size = BinaryPrimitives.ReadInt32LittleEndian(source);
        if (size < HeaderSize || size > source.Length)
        {
            throw new BrokenPromiseException($"a message of {size} bytes where {source.Length} are left");
        }

        (int publisher, long number) =
            (BinaryPrimitives.ReadInt32LittleEndian(source[4..]), BinaryPrimitives.ReadInt64LittleEndian(source[8..]));
        byte[] expected = new byte[size - HeaderSize];
        Fill(expected, publisher, number);
        if (!source[HeaderSize..size].SequenceEqual(expected))
        {
            throw new BrokenPromiseException($"message {number} of publisher {publisher} has other bytes than were written");
        }

        source = source[size..];
        return (publisher, number);
    }

    private static void Fill(Span<byte> bytes, int publisher, long number)
    {
        ulong state = ((ulong)number * 0x9E3779B97F4A7C15) ^ ((ulong)(publisher + 1) << 56) | 1;
        for (int i = 0; i < bytes.Length; i++)
        {
            if (i % 8 == 0)
            {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
            }

            bytes[i] = (byte)(state >> (8 * (i % 8)));
        }
    }
}
