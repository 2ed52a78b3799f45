using System.Buffers;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Serialization;

/// <summary>Writes and reads one value with a formatter.</summary>
internal static class Codec
{
    public static byte[] Write<T, TFormatter>(T value)
        where TFormatter : struct, IFormatter<T>
    {
        // A buffer that grows byte by byte shows writers that reserve less than they write.
        ArrayBufferWriter<byte> output = new(1);
        MessagePackWriter writer = new(output);
        default(TFormatter).Write(ref writer, value);
        writer.Flush();
        Assert.Equal(output.WrittenCount, writer.BytesWritten);
        return output.WrittenSpan.ToArray();
    }

    public static T Read<T, TFormatter>(byte[] bytes)
        where TFormatter : struct, IFormatter<T>
    {
        MessagePackReader reader = new(bytes);
        T value = default(TFormatter).Read(ref reader);
        Assert.Equal(bytes.Length, reader.Position);
        return value;
    }

    public static MessagePackException Refused<T, TFormatter>(byte[] bytes)
        where TFormatter : struct, IFormatter<T> =>
        Assert.Throws<MessagePackException>(() =>
        {
            MessagePackReader reader = new(bytes);
            default(TFormatter).Read(ref reader);
        });

    public static void RoundTrips<T, TFormatter>(T value)
        where TFormatter : struct, IFormatter<T> =>
            RoundTrips<T, TFormatter>(value, static (expected, actual) => Assert.Equal(expected, actual));

    public static void RoundTrips<T, TFormatter>(T value, Action<T, T> assertSame)
        where TFormatter : struct, IFormatter<T>
    {
        byte[] bytes = Write<T, TFormatter>(value);
        assertSame(value, Read<T, TFormatter>(bytes));

        MessagePackReader skipper = new(bytes);
        skipper.Skip();
        Assert.Equal(bytes.Length, skipper.Position);

        // Cut short anywhere, it is refused, and by the exception that callers expect.
        for (int length = 0; length < bytes.Length; length += 1 + (length / 16))
        {
            Refused<T, TFormatter>(bytes[..length]);
        }
    }

    public static string Hex<T, TFormatter>(T value)
        where TFormatter : struct, IFormatter<T> => Convert.ToHexString(Write<T, TFormatter>(value));
}
