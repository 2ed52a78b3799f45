using System.Buffers;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Records;

/// <summary>
/// The logged fact that another build of the app executes what lies after a record: varint LSN · string build (docs/internals/upgrades.md).
/// Instances with replicas log it: a replica of another build learns by it that its app makes another history. Beside an upgrade of
/// the same record it says which build the new version is.
/// </summary>
/// <param name="At">The last record that the build before executed; the new build's checkpoint lies there, unless it could not be
/// saved.</param>
/// <param name="Build">The app's name of the build.</param>
public sealed record BuildStep(Lsn At, string Build)
{
    /// <summary>Largest encoding, in bytes.</summary>
    public const int MaxSize = Varint.MaxSize64 + Varint.MaxSize32 + BuildCompared.LongestBuild;

    /// <summary>Completes when this is durable; null if nobody waits.</summary>
    public TaskCompletionSource? Applied { get; init; }

    /// <summary>Writes a list of marks.</summary>
    public static void WriteList(IBufferWriter<byte> output, IReadOnlyCollection<BuildStep> marks)
    {
        var writer = new ByteWriter(output);
        writer.WriteVarint((ulong)marks.Count);
        foreach (BuildStep mark in marks)
        {
            writer.WriteVarint(mark.At.Value);
            writer.WriteString(mark.Build, BuildCompared.LongestBuild, "build");
        }
    }

    /// <summary>Reads a list of marks.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static List<BuildStep> ReadList(ref ByteReader reader)
    {
        var marks = new List<BuildStep>();
        for (int left = reader.ReadCount("builds"); left > 0; left--)
        {
            marks.Add(new BuildStep(new Lsn(reader.ReadVarint("build LSN")), reader.ReadString(BuildCompared.LongestBuild, "build")));
        }

        return marks;
    }
}
