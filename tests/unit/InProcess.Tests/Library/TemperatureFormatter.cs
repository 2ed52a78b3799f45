using MessagePack;
using MessagePack.Formatters;

namespace Ambrosia.InProcess.Tests.Library;

/// <summary>Temperatures as tenths of a degree.</summary>
internal sealed class TemperatureFormatter : IMessagePackFormatter<Temperature>
{
    public void Serialize(ref MessagePackWriter writer, Temperature value, MessagePackSerializerOptions options) =>
        writer.Write(value.ToTenths());

    public Temperature Deserialize(ref MessagePackReader reader, MessagePackSerializerOptions options) =>
        Temperature.FromTenths(reader.ReadInt32());
}
