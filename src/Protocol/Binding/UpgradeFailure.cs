using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// An app did not convert its state, which is as it was. Data: byte, 1 if only suspended calls are in the way, else 0 · string reason.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record UpgradeFailure(bool MayPass, string Reason)
{
    /// <summary>Longest reason, in characters; what is longer is cut.</summary>
    public const int MaxReason = 2000;

    /// <summary>Writes the data of the message.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteByte(MayPass ? (byte)1 : (byte)0);
        writer.WriteString(Reason.Length > MaxReason ? Reason[..MaxReason] : Reason);
    }

    /// <summary>Reads the data of the message.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static UpgradeFailure Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        byte kind = reader.ReadByte("upgrade failure kind");
        string reason = reader.ReadString(4 * MaxReason, "upgrade failure reason");
        reader.ExpectEnd("upgrade failure");
        return kind <= 1 ? new UpgradeFailure(kind == 1, reason) : throw new ProtocolException($"upgrade failure of kind {kind}", 0);
    }
}
