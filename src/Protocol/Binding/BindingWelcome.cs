using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// Accepts a binding. Data: varint version · u64 feature bits · mode byte · varint epoch · 16 bytes instance id · string instance ·
/// varint largest message in bytes · varint largest turn in bytes.
/// </summary>
public sealed record BindingWelcome(
    ulong Version, ulong Features, BindingMode Mode, ulong Epoch, Guid InstanceId, string Instance, long MaxMessageBytes, long MaxTurnBytes)
{
    /// <summary>Writes the data of the message.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteVarint(Version);
        writer.WriteUInt64(Features);
        writer.WriteByte((byte)Mode);
        writer.WriteVarint(Epoch);
        writer.WriteGuid(InstanceId);
        writer.WriteString(Instance);
        writer.WriteVarint((ulong)MaxMessageBytes);
        writer.WriteVarint((ulong)MaxTurnBytes);
    }

    /// <summary>Reads the data of the message.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static BindingWelcome Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        var welcome = new BindingWelcome(
            reader.ReadVarint("welcome version"),
            reader.ReadUInt64("welcome features"),
            (BindingMode)reader.ReadByte("welcome mode"),
            reader.ReadVarint("welcome epoch"),
            reader.ReadGuid("welcome instance id"),
            reader.ReadString(InstanceName.MaxLength, "welcome instance"),
            (long)reader.ReadVarint("welcome largest message"),
            (long)reader.ReadVarint("welcome largest turn"));
        reader.ExpectEnd("welcome");
        return welcome;
    }
}
