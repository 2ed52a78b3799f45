using System.Buffers;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Records;

/// <summary>
/// The logged fact that the app's state was converted after a record: varint LSN · string from · string to. LSN 0: it is only being
/// tried, and nothing is decided.
/// </summary>
/// <param name="At">The last record that the old version executed.</param>
/// <param name="From">Version of the state before, as the app calls it.</param>
/// <param name="To">Version behind it.</param>
public sealed record VersionChange(Lsn At, string From, string To)
{
    private const int MaxText = FrameLimits.HandshakeString;

    /// <summary>Largest encoding, in bytes.</summary>
    public const int MaxSize = Varint.MaxSize64 + 2 * (Varint.MaxSize32 + MaxText);

    /// <summary>
    /// The build that executes what follows, as the app calls it; "" if that is not known. A <see cref="BuildStep"/> of the same record
    /// says it, in the log and in the upgrade's checkpoint.
    /// </summary>
    public string Build { get; init; } = "";

    /// <summary>Completes when this is durable and has been applied; null if nobody waits.</summary>
    public TaskCompletionSource? Applied { get; init; }

    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteVarint(At.Value);
        writer.WriteString(From, MaxText, "upgrade from");
        writer.WriteString(To, MaxText, "upgrade to");
    }

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static VersionChange Read(ref ByteReader reader) => new(
        new Lsn(reader.ReadVarint("upgrade LSN")), reader.ReadString(MaxText, "upgrade from"), reader.ReadString(MaxText, "upgrade to"));
}
