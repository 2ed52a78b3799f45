using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>An app was asked for a checkpoint and cannot save its state now. Data: string reason.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record CheckpointDeclined(string Reason)
{
    /// <summary>Longest reason, in characters; what is longer is cut.</summary>
    public const int MaxReason = 2000;

    /// <summary>Writes the data of the message.</summary>
    public void Write(IBufferWriter<byte> output) =>
        new ByteWriter(output).WriteString(Reason.Length > MaxReason ? Reason[..MaxReason] : Reason);

    /// <summary>Reads the data of the message.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static CheckpointDeclined Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        string reason = reader.ReadString(4 * MaxReason, "why there is no checkpoint");
        reader.ExpectEnd("declined checkpoint");
        return new CheckpointDeclined(reason);
    }
}
