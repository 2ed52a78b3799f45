using System.Buffers;
using System.Globalization;
using System.Text;
using Ambrosia.Serialization;

namespace Ambrosia.MessagePackCorpus;

/// <summary>Random values, written with our writer, around the lengths and numbers where the format changes its form.</summary>
internal sealed class RandomValues(int seed)
{
    private static readonly int[] s_lengths = [0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 255, 256, 65535, 65536];
    private readonly Random _random = new(seed);

    public static IEnumerable<byte[]> Make(int seed, int count)
    {
        RandomValues values = new(seed);
        for (int i = 0; i < count; i++)
        {
            ArrayBufferWriter<byte> output = new();
            MessagePackWriter writer = new(output);
            values.Write(ref writer, depth: 0);
            writer.Flush();
            yield return output.WrittenSpan.ToArray();
        }
    }

    private void Write(ref MessagePackWriter writer, int depth)
    {
        switch (_random.Next(depth < 4 ? 9 : 7))
        {
            case 0:
                writer.WriteNil();
                break;
            case 1:
                writer.WriteBoolean(_random.Next(2) == 0);
                break;
            case 2:
                WriteInteger(ref writer);
                break;
            case 3:
                // JavaScript writes whole numbers as integers: only others can come back as they were.
                writer.WriteDouble(_random.Next(-1000, 1000) + (0.25 * _random.Next(1, 4)) + (1e-9 * _random.NextDouble()));
                break;
            case 4:
                writer.WriteString(Text(Length(depth)));
                break;
            case 5:
                byte[] bytes = new byte[Length(depth)];
                _random.NextBytes(bytes);
                writer.WriteBinary(bytes);
                break;
            case 6:
                // JavaScript's Date holds milliseconds.
                writer.WriteTimestamp(
                    DateTime.UnixEpoch.AddMilliseconds(_random.NextInt64(-1L << 41, 1L << 45) * (_random.Next(2) == 0 ? 1 : 0)));
                break;
            case 7:
                int items = Math.Min(Length(depth), 20);
                writer.WriteArrayHeader(items);
                for (int i = 0; i < items; i++)
                {
                    Write(ref writer, depth + 1);
                }

                break;
            default:
                int pairs = Math.Min(Length(depth), 20);
                writer.WriteMapHeader(pairs);
                for (int i = 0; i < pairs; i++)
                {
                    writer.WriteString("k" + i.ToString(CultureInfo.InvariantCulture));
                    Write(ref writer, depth + 1);
                }

                break;
        }
    }

    private void WriteInteger(ref MessagePackWriter writer)
    {
        ulong near = unchecked((1UL << _random.Next(64)) + (ulong)_random.Next(-2, 3));
        if (_random.Next(2) == 0)
        {
            writer.WriteUInt64(near);
        }
        else
        {
            writer.WriteInt64(unchecked((long)near));
        }
    }

    // Long texts at the top only, or the corpus would be all text.
    private int Length(int depth) => s_lengths[_random.Next(depth == 0 ? s_lengths.Length : s_lengths.Length - 2)];

    private string Text(int length)
    {
        StringBuilder text = new(length);
        while (text.Length < length)
        {
            text.Append(_random.Next(12) switch { 0 => "ä", 1 => "❤", 2 => "🍺", _ => "x" });
        }

        return text.ToString();
    }
}
