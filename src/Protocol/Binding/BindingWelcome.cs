using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// Accepts a binding. Data: varint version · u64 feature bits · mode byte · varint epoch · 16 bytes instance id · string instance ·
/// varint largest message in bytes · varint largest turn in bytes.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
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

    /// <summary>Reads the data; valid if and only if mode and name are, the limits fit 63 bits and nothing follows.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static BindingWelcome Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        ulong version = reader.ReadVarint("welcome version");
        ulong features = reader.ReadUInt64("welcome features");
        byte mode = reader.ReadByte("welcome mode");
        if (mode > (byte)BindingMode.Upgrade)
        {
            throw new ProtocolException($"unknown mode {mode}", reader.Offset - 1);
        }

        var welcome = new BindingWelcome(
            version,
            features,
            (BindingMode)mode,
            reader.ReadVarint("welcome epoch"),
            reader.ReadGuid("welcome instance id"),
            reader.ReadString(InstanceName.MaxLength, "welcome instance"),
            ReadLimit(ref reader, "welcome largest message"),
            ReadLimit(ref reader, "welcome largest turn"));
        reader.ExpectEnd("welcome");
        return InstanceName.IsValid(welcome.Instance) ? welcome : throw new ProtocolException("welcome instance: not an instance name", 0);
    }

    private static long ReadLimit(ref ByteReader reader, string what)
    {
        ulong limit = reader.ReadVarint(what);
        return limit <= long.MaxValue ? (long)limit : throw new ProtocolException($"{what}: {limit} exceeds 63 bits", reader.Offset);
    }
}
