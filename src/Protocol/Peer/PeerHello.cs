using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// Opens a connection between coordinators. Body: "AMBP" · varint version · channel byte · string cluster · string from ·
/// string to · 16 bytes from's instance id · 16 bytes to's instance id as far as known (zero: unknown) · varint sender epoch ·
/// varint connection generation. Data and control of one direction carry the same (epoch, generation).
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record PeerHello(
    ulong Version, PeerChannel Channel, string Cluster, string From, string To, Guid FromId, Guid ToId, ulong Epoch, ulong Generation)
{
    /// <summary>The version in which a sender says Hello that has dropped nothing which the receiver may lack.</summary>
    public const ulong CurrentVersion = 1;

    /// <summary>The same with Gap frames. A receiver that does not know them refuses the version, with both numbers.</summary>
    public const ulong VersionWithGaps = 2;

    private static ReadOnlySpan<byte> Magic => "AMBP"u8;

    /// <summary>Writes the body.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteBytes(Magic);
        writer.WriteVarint(Version);
        writer.WriteByte((byte)Channel);
        writer.WriteString(Cluster, FrameLimits.HandshakeString, "hello cluster");
        writer.WriteString(From);
        writer.WriteString(To);
        writer.WriteGuid(FromId);
        writer.WriteGuid(ToId);
        writer.WriteVarint(Epoch);
        writer.WriteVarint(Generation);
    }

    /// <summary>Reads a body; valid if and only if magic, names and lengths are right and nothing follows.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static PeerHello Read(ReadOnlySpan<byte> body)
    {
        var reader = new ByteReader(body);
        if (!reader.ReadBytes(4, "hello magic").SequenceEqual(Magic))
        {
            throw new ProtocolException("not a coordinator's hello", 0);
        }

        ulong version = reader.ReadVarint("hello version");
        byte channel = reader.ReadByte("hello channel");
        if (channel > (byte)PeerChannel.Control)
        {
            throw new ProtocolException($"unknown channel {channel}", reader.Offset);
        }

        var hello = new PeerHello(
            version,
            (PeerChannel)channel,
            reader.ReadString(FrameLimits.HandshakeString, "hello cluster"),
            reader.ReadName("hello from"),
            reader.ReadName("hello to"),
            reader.ReadGuid("hello from id"),
            reader.ReadGuid("hello to id"),
            reader.ReadVarint("hello epoch"),
            reader.ReadVarint("hello generation"));
        reader.ExpectEnd("hello");
        return hello;
    }
}
