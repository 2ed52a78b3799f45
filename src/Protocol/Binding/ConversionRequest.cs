using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// Asks an app to convert its state. Data: string goal · where a replay crosses an upgrade and the app compares builds: string build.
/// </summary>
/// <param name="Goal">The version to become; "" for the app's own.</param>
/// <param name="Executed">The build that has executed what follows, "" if nobody wrote it down; null if the app need not compare.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record ConversionRequest(string Goal, string? Executed)
{
    /// <summary>Writes the data of the message.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteString(Goal, FrameLimits.HandshakeString, "state goal");
        if (Executed is not null)
        {
            writer.WriteString(Executed, BuildCompared.LongestBuild, "build after the upgrade");
        }
    }

    /// <summary>Reads the data of the message.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static ConversionRequest Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        string goal = reader.ReadString(FrameLimits.HandshakeString, "state goal");
        string? executed = reader.Remaining == 0 ? null : reader.ReadString(BuildCompared.LongestBuild, "build after the upgrade");
        reader.ExpectEnd("conversion request");
        return new ConversionRequest(goal, executed);
    }
}
