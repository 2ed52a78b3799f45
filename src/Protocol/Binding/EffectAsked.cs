using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// An effect that a turn asked for, as a replay is told it. Data: varint record · varint message · varint ordinal · u64 hash · zigzag
/// method id · string interface and method · the encoded arguments, to the end. Sent before the Progress of its turn, in mode debug and by
/// an app that agreed on <see cref="BindingFeatures.EffectRequests"/>.
/// </summary>
/// <param name="Lsn">Record of the message whose turn asked.</param>
/// <param name="Index">Index of that message.</param>
/// <param name="Ordinal">Place among the effects of that turn, from 0.</param>
/// <param name="Hash">Of interface, method and arguments: what an outcome in the log says, too.</param>
/// <param name="MethodId">Number of the method in its interface.</param>
/// <param name="Name">Interface and method, for people; at most <see cref="EffectMethodTold.MaxBytes"/> bytes.</param>
/// <param name="Arguments">The encoded arguments.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record EffectAsked(
    ulong Lsn, int Index, int Ordinal, ulong Hash, int MethodId, string Name, ReadOnlyMemory<byte> Arguments)
{
    /// <summary>Its key, as people write it: <c>17:3:0</c>.</summary>
    public string Key => $"{Lsn}:{Index}:{Ordinal}";

    /// <summary>Writes the data of the message.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteVarint(Lsn);
        writer.WriteVarint((ulong)Index);
        writer.WriteVarint((ulong)Ordinal);
        writer.WriteUInt64(Hash);
        writer.WriteZigZag(MethodId);
        writer.WriteString(Name, EffectMethodTold.MaxBytes, "effect's method");
        writer.WriteBytes(Arguments.Span);
    }

    /// <summary>Reads the data of the message; the arguments are copied.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static EffectAsked Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        ulong lsn = reader.ReadVarint("effect's record");
        int index = reader.ReadLength(int.MaxValue, "effect's message");
        int ordinal = reader.ReadLength(int.MaxValue, "effect's ordinal");
        ulong hash = reader.ReadUInt64("hash of an effect");
        long method = reader.ReadZigZag("effect's method id");
        string name = reader.ReadString(EffectMethodTold.MaxBytes, "effect's method");
        if (method is < int.MinValue or > int.MaxValue || name.Any(char.IsControl))
        {
            throw new ProtocolException("an effect whose method has no such number or name", 0);
        }

        return new EffectAsked(lsn, index, ordinal, hash, (int)method, name, reader.Rest.ToArray());
    }
}
