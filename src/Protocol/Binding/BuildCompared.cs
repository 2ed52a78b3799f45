using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// Told after each checkpoint that an app loads. Data: one byte, 0 if the app's build is the one that saved it, 1 if it is another.
/// </summary>
public sealed record BuildCompared(bool IsOther)
{
    /// <summary>Writes the data of the message.</summary>
    public void Write(IBufferWriter<byte> output) => new ByteWriter(output).WriteByte(IsOther ? (byte)1 : (byte)0);

    /// <summary>Reads the data of the message.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static BuildCompared Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        byte other = reader.ReadByte("build compared");
        reader.ExpectEnd("build compared");
        return other <= 1 ? new BuildCompared(other == 1) : throw new ProtocolException($"build compared: {other} is neither 0 nor 1", 0);
    }
}
