using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// Ends a connection with a reason. Body: string code (IC-nnnn) · byte retry (1: the sender may come back) · string reason.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record PeerGoodbye(string Code, bool Retry, string Reason)
{
    /// <summary>With a code of this build.</summary>
    public PeerGoodbye(ErrorCode error, bool retry, string reason)
        : this(error.Id, retry, reason)
    {
    }

    /// <summary>What the code means; null for one that a newer build has added.</summary>
    public ErrorCode? Error => ErrorCatalogue.Find(Code);

    /// <summary>Writes the body; the reason is cut to what a handshake string may hold.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteString(Code);
        writer.WriteByte(Retry ? (byte)1 : (byte)0);
        writer.WriteString(Reason.Length > 300 ? Reason[..300] : Reason);
    }

    /// <summary>Reads a body.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static PeerGoodbye Read(ReadOnlySpan<byte> body)
    {
        var reader = new ByteReader(body);
        string code = reader.ReadString(16, "goodbye code");
        byte retry = reader.ReadByte("goodbye retry");
        string reason = reader.ReadString(FrameLimits.HandshakeString, "goodbye reason");
        reader.ExpectEnd("goodbye");
        return new PeerGoodbye(code, retry != 0, reason);
    }
}
