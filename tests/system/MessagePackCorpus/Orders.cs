using System.Buffers;
using Ambrosia.Serialization;

namespace Ambrosia.MessagePackCorpus;

/// <summary>Orders, the same for the same seed, through the formatters that the generator wrote.</summary>
internal static class Orders
{
    private static readonly ICodec s_codec = (ICodec)Activator.CreateInstance(typeof(Codec<>).MakeGenericType(
        typeof(Orders).Assembly.GetTypes().Single(static t => typeof(IFormatter<Order>).IsAssignableFrom(t))))!;

    private interface ICodec
    {
        byte[] Encode(Order order);

        Order Decode(byte[] bytes);
    }

    public static IEnumerable<Order> Make(int seed, int count)
    {
        Random random = new(seed);
        byte[] id = new byte[16];
        for (int i = 0; i < count; i++)
        {
            random.NextBytes(id);
            yield return new Order(
                new Guid(id), "Ä" + random.Next(1000), random.Next(-100000, 100000), random.Next(100000) / 100m,
                DateTime.UnixEpoch.AddMilliseconds(random.NextInt64(1L << 42)), random.Next(2) == 0, random.Next(2) == 0 ? null : "note",
                new Parcel(random.Next(500), random.Next(2) == 0 ? null : "label"),
                random.Next(3) switch { 0 => null, 1 => new Card("4" + random.Next()), _ => new Cash(random.Next(2) == 0) });
        }
    }

    public static byte[] Encode(Order order) => s_codec.Encode(order);

    /// <summary>Whether the values of the file are the orders of the seed; the exit code.</summary>
    public static int Check(IEnumerable<byte[]> values, int seed, int count)
    {
        Order[] read = [.. values.Select(s_codec.Decode)];
        Order[] expected = [.. Make(seed, count)];
        bool same = expected.SequenceEqual(read);
        Console.WriteLine(same ? $"{read.Length} orders are as they were" : "orders differ");
        return same ? 0 : 1;
    }

    private sealed class Codec<TFormatter> : ICodec
        where TFormatter : struct, IFormatter<Order>
    {
        public byte[] Encode(Order order)
        {
            ArrayBufferWriter<byte> output = new();
            MessagePackWriter writer = new(output);
            default(TFormatter).Write(ref writer, order);
            writer.Flush();
            return output.WrittenSpan.ToArray();
        }

        public Order Decode(byte[] bytes)
        {
            MessagePackReader reader = new(bytes);
            return default(TFormatter).Read(ref reader);
        }
    }
}
