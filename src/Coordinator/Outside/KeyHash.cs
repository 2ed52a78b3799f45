using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Outside;

/// <summary>The first 16 bytes of the SHA-256 of a key's text: what is kept of it.</summary>
/// <param name="Value">These bytes, the first one the highest.</param>
public readonly record struct KeyHash(UInt128 Value)
{
    /// <summary>Bytes that it takes.</summary>
    public const int Size = 16;

    /// <summary>That of a text.</summary>
    public static KeyHash Of(string text) => new(BinaryPrimitives.ReadUInt128BigEndian(SHA256.HashData(Encoding.UTF8.GetBytes(text))));

    /// <summary>Writes it.</summary>
    public void Write(ByteWriter writer)
    {
        writer.WriteUInt64((ulong)(Value >> 64));
        writer.WriteUInt64((ulong)Value);
    }

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    /// <exception cref="ProtocolException">The bytes end before.</exception>
    public static KeyHash Read(ref ByteReader reader)
    {
        ulong upper = reader.ReadUInt64("outside key");
        return new KeyHash(new UInt128(upper, reader.ReadUInt64("outside key")));
    }

    /// <inheritdoc/>
    public override string ToString() => Value.ToString("x32", null);
}
