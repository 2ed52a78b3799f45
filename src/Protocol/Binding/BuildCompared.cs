using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// Told after each checkpoint that an app loads. Data: one byte, 0 if the app's build is the one that saved it, 1 if it is another ·
/// string name of the app's build.
/// </summary>
/// <param name="IsOther">Whether another build saved the checkpoint.</param>
/// <param name="Build">The app's name of its own build: a hash, at most <see cref="LongestBuild"/> bytes.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record BuildCompared(bool IsOther, string Build)
{
    /// <summary>Most bytes of a build's name.</summary>
    public const int LongestBuild = 128;

    /// <summary>Writes the data of the message.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteByte(IsOther ? (byte)1 : (byte)0);
        writer.WriteString(Build, LongestBuild, "build");
    }

    /// <summary>Reads the data of the message.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static BuildCompared Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        byte other = reader.ReadByte("build compared");
        string build = reader.ReadString(LongestBuild, "build");
        reader.ExpectEnd("build compared");
        return other <= 1 ? new BuildCompared(other == 1, build)
            : throw new ProtocolException($"build compared: {other} is neither 0 nor 1", 0);
    }
}
