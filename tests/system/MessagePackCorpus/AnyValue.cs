using System.Buffers;
using Ambrosia.Serialization;

namespace Ambrosia.MessagePackCorpus;

/// <summary>Reads a value of any kind with our reader and writes it again with our writer.</summary>
internal static class AnyValue
{
    public static byte[] Rewrite(byte[] bytes)
    {
        ArrayBufferWriter<byte> output = new();
        MessagePackReader reader = new(bytes);
        MessagePackWriter writer = new(output);
        Copy(ref reader, ref writer);
        writer.Flush();
        return reader.Position == bytes.Length ? output.WrittenSpan.ToArray()
            : throw new InvalidDataException("Bytes are left after the value.");
    }

    private static void Copy(ref MessagePackReader reader, ref MessagePackWriter writer)
    {
        byte code = reader.Remaining[0];
        switch (code)
        {
            case 0xC0:
                reader.TryReadNil();
                writer.WriteNil();
                break;
            case 0xC2 or 0xC3:
                writer.WriteBoolean(reader.ReadBoolean());
                break;
            case 0xCA:
                writer.WriteSingle(reader.ReadSingle());
                break;
            case 0xCB:
                writer.WriteDouble(reader.ReadDouble());
                break;
            case 0xC4 or 0xC5 or 0xC6:
                writer.WriteBinary(reader.ReadBinary());
                break;
            case 0xC7 or 0xD6 or 0xD7:
                writer.WriteTimestamp(reader.ReadTimestamp());
                break;
            case >= 0xA0 and < 0xC0 or 0xD9 or 0xDA or 0xDB:
                writer.WriteString(reader.ReadString());
                break;
            case >= 0x90 and < 0xA0 or 0xDC or 0xDD:
                int items = reader.ReadArrayHeader();
                writer.WriteArrayHeader(items);
                for (int i = 0; i < items; i++)
                {
                    Copy(ref reader, ref writer);
                }

                break;
            case >= 0x80 and < 0x90 or 0xDE or 0xDF:
                int pairs = reader.ReadMapHeader();
                writer.WriteMapHeader(pairs);
                for (int i = 0; i < 2 * pairs; i++)
                {
                    Copy(ref reader, ref writer);
                }

                break;
            case 0xCF:
                writer.WriteUInt64(reader.ReadUInt64());
                break;
            default:
                writer.WriteInt64(reader.ReadInt64());
                break;
        }
    }
}
