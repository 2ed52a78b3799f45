using MessagePack;
using MessagePack.Formatters;

namespace Ambrosia.CSharpBinding.Tests.Serialization.Library;

/// <summary>Writes a stamp as a multiple of its number, or does something wrong.</summary>
internal sealed class StampFormatter(int factor, StampFault fault) : IMessagePackFormatter<Stamp?>
{
    public void Serialize(ref MessagePackWriter writer, Stamp? value, MessagePackSerializerOptions options)
    {
        switch (fault)
        {
            case StampFault.Throws:
                throw new InvalidOperationException("out of paper.");
            case StampFault.WritesNothing:
                return;
            case StampFault.WritesHalf:
                writer.WriteArrayHeader(2);
                break;
            case StampFault.WritesTwice:
                writer.Write(1);
                break;
        }

        writer.Write(value!.Ticks * factor);
    }

    public Stamp? Deserialize(ref MessagePackReader reader, MessagePackSerializerOptions options)
    {
        switch (fault)
        {
            case StampFault.Throws:
                throw new InvalidOperationException("out of paper.");
            case StampFault.ReadsNothing:
                return new Stamp(0);
            case StampFault.ReadsBeyond:
                reader.ReadInt32();
                break;
        }

        int ticks = reader.ReadInt32() / factor;
        return fault == StampFault.MakesNull ? null : new Stamp(ticks);
    }
}
