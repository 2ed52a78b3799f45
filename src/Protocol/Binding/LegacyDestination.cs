using System.Text;

namespace Ambrosia.Protocol;

/// <summary>
/// AMBROSIA's published client protocol: what precedes the delivery form in an outgoing RPC. Zig-zag length (0 = oneself) · UTF-8 name.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly ref struct LegacyDestination
{
    private LegacyDestination(ReadOnlySpan<byte> name, ReadOnlySpan<byte> rpc)
    {
        Utf8 = name;
        Rpc = rpc;
    }

    /// <summary>UTF-8 of the name; empty for oneself.</summary>
    public ReadOnlySpan<byte> Utf8 { get; }

    /// <summary>Data of the RPC in delivery form.</summary>
    public ReadOnlySpan<byte> Rpc { get; }

    /// <summary>The name.</summary>
    public string Name => Encoding.ASCII.GetString(Utf8);

    /// <summary>
    /// Reads the data of an outgoing RPC; valid if and only if the name is empty or an instance's. The RPC is not checked.
    /// </summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static LegacyDestination Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        long length = reader.ReadZigZag("destination length");
        if (length is < 0 or > InstanceName.MaxLength)
        {
            throw new ProtocolException($"destination name of {length} bytes", 0);
        }

        ReadOnlySpan<byte> name = reader.ReadBytes((int)length, "destination");
        return name.IsEmpty || InstanceName.IsValid(name)
            ? new LegacyDestination(name, reader.Rest)
            : throw new ProtocolException("destination is not an instance name", reader.Offset);
    }
}
