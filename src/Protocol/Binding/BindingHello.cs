using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// Opens version 2 of the binding link, from the app. Data: "AMB2" · varint lowest and highest version · u64 feature bits ·
/// 16 bytes incarnation id · strings: binding, app version, interface hash, build fingerprint, instance ("" = whatever is served), token.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record BindingHello(
    ulong MinVersion,
    ulong MaxVersion,
    ulong Features,
    Guid Incarnation,
    string Binding,
    string AppVersion,
    string InterfaceHash,
    string BuildFingerprint,
    string Instance,
    string Token)
{
    /// <summary>The version described here.</summary>
    public const ulong CurrentVersion = 2;

    private static ReadOnlySpan<byte> Magic => "AMB2"u8;

    /// <summary>Writes the data of the message.</summary>
    /// <exception cref="ProtocolException">A string is too long.</exception>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteBytes(Magic);
        writer.WriteVarint(MinVersion);
        writer.WriteVarint(MaxVersion);
        writer.WriteUInt64(Features);
        writer.WriteGuid(Incarnation);
        writer.WriteString(Binding, FrameLimits.HandshakeString, "hello binding");
        writer.WriteString(AppVersion, FrameLimits.HandshakeString, "hello app version");
        writer.WriteString(InterfaceHash, FrameLimits.HandshakeString, "hello interface hash");
        writer.WriteString(BuildFingerprint, FrameLimits.HandshakeString, "hello build fingerprint");
        writer.WriteString(Instance, FrameLimits.HandshakeString, "hello instance");
        writer.WriteString(Token, FrameLimits.HandshakeString, "hello token");
    }

    /// <summary>Reads the data of the message.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static BindingHello Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        if (!reader.ReadBytes(4, "hello magic").SequenceEqual(Magic))
        {
            throw new ProtocolException("not a binding's hello", 0);
        }

        const int max = FrameLimits.HandshakeString;
        var hello = new BindingHello(
            reader.ReadVarint("hello min version"),
            reader.ReadVarint("hello max version"),
            reader.ReadUInt64("hello features"),
            reader.ReadGuid("hello incarnation"),
            reader.ReadString(max, "hello binding"),
            reader.ReadString(max, "hello app version"),
            reader.ReadString(max, "hello interface hash"),
            reader.ReadString(max, "hello build fingerprint"),
            reader.ReadString(max, "hello instance"),
            reader.ReadString(max, "hello token"));
        reader.ExpectEnd("hello");
        return hello;
    }
}
