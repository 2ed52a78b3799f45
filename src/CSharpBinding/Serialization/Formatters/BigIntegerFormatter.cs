using System.Buffers;
using System.Numerics;

namespace Ambrosia.Serialization;

/// <summary>Integers of any size, as little-endian two's complement bytes.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct BigIntegerFormatter : IFormatter<BigInteger>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, BigInteger value)
    {
        int size = value.GetByteCount();
        byte[]? rented = null;
        Span<byte> bytes = size <= 256 ? stackalloc byte[256] : rented = ArrayPool<byte>.Shared.Rent(size);
        value.TryWriteBytes(bytes, out int written);
        writer.WriteBinary(bytes[..written]);
        if (rented is not null)
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    /// <inheritdoc/>
    public BigInteger Read(ref MessagePackReader reader) => new(reader.ReadBinary());
}
