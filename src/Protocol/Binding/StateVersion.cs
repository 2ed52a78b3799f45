using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// Which version of its state an app holds, told after each checkpoint that it loads. Data: string version · string goal ("" = this is
/// what it wants).
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record StateVersion(string Version, string Goal)
{
    /// <summary>Writes the data of the message.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteString(Version, FrameLimits.HandshakeString, "state version");
        writer.WriteString(Goal, FrameLimits.HandshakeString, "state goal");
    }

    /// <summary>Reads the data of the message.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static StateVersion Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        var version = new StateVersion(
            reader.ReadString(FrameLimits.HandshakeString, "state version"), reader.ReadString(FrameLimits.HandshakeString, "state goal"));
        reader.ExpectEnd("state version");
        return version;
    }
}
