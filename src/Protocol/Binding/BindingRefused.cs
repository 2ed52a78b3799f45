using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>Refuses a binding. Data: string code (IC-nnnn) · string reason.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record BindingRefused(string Code, string Reason)
{
    /// <summary>With a code of this build.</summary>
    public BindingRefused(ErrorCode error, string reason)
        : this(error.Id, reason)
    {
    }

    /// <summary>Writes the data of the message.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteString(Code);
        writer.WriteString(Reason.Length > 300 ? Reason[..300] : Reason);
    }

    /// <summary>The data of the message.</summary>
    public byte[] ToBytes()
    {
        var data = new ArrayBufferWriter<byte>();
        Write(data);
        return data.WrittenSpan.ToArray();
    }

    /// <summary>Reads the data of the message.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static BindingRefused Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        var refused = new BindingRefused(reader.ReadString(16, "refused code"),
            reader.ReadString(FrameLimits.HandshakeString, "refused reason"));
        reader.ExpectEnd("refused");
        return refused;
    }
}
