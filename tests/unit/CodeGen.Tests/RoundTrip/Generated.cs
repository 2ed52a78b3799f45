using System.Buffers;
using Ambrosia.Serialization;

namespace Ambrosia.CodeGen.Tests.RoundTrip;

/// <summary>Writes and reads with the formatter that the build of this project generated.</summary>
internal static class Generated
{
    public static byte[] Write<T>(T value) => Find<T>().Write(value);

    public static T Read<T>(byte[] bytes) => Find<T>().Read(bytes);

    public static T RoundTrip<T>(T value) => Read<T>(Write(value));

    private static ICodec<T> Find<T>()
    {
        Type formatter = typeof(Generated).Assembly.GetTypes()
            .Single(static t => t.Namespace == "Ambrosia.Generated" && typeof(IFormatter<T>).IsAssignableFrom(t));
        return (ICodec<T>)Activator.CreateInstance(typeof(Codec<,>).MakeGenericType(typeof(T), formatter))!;
    }

    private interface ICodec<T>
    {
        byte[] Write(T value);

        T Read(byte[] bytes);
    }

    private sealed class Codec<T, TFormatter> : ICodec<T>
        where TFormatter : struct, IFormatter<T>
    {
        public byte[] Write(T value)
        {
            ArrayBufferWriter<byte> output = new();
            MessagePackWriter writer = new(output);
            default(TFormatter).Write(ref writer, value);
            writer.Flush();
            return output.WrittenSpan.ToArray();
        }

        public T Read(byte[] bytes)
        {
            MessagePackReader reader = new(bytes);
            return default(TFormatter).Read(ref reader);
        }
    }
}
