using System.Buffers.Binary;
using System.Globalization;

namespace Ambrosia.Primitives;

/// <summary>
/// Random 128-bit identity made together with a log: it tells an instance that was erased and made again from its predecessor of the same
/// name.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct InstanceId(ulong High, ulong Low)
{
    /// <summary>Bytes of its encoded form.</summary>
    public const int Size = 16;

    /// <summary>No identity: the log does not exist yet.</summary>
    public static InstanceId None => default;

    /// <summary>Reads the big-endian form, whose hexadecimal print equals <see cref="ToString"/>.</summary>
    public static InstanceId Read(ReadOnlySpan<byte> source) =>
        new(BinaryPrimitives.ReadUInt64BigEndian(source), BinaryPrimitives.ReadUInt64BigEndian(source[8..]));

    /// <summary>Writes the big-endian form of <see cref="Size"/> bytes.</summary>
    public void Write(Span<byte> destination)
    {
        BinaryPrimitives.WriteUInt64BigEndian(destination, High);
        BinaryPrimitives.WriteUInt64BigEndian(destination[8..], Low);
    }

    /// <summary>Reads the 32 hexadecimal digits that <see cref="ToString"/> writes.</summary>
    public static bool TryParse(string? text, out InstanceId id)
    {
        id = default;
        if (text is not { Length: 32 }
            || !ulong.TryParse(text.AsSpan(0, 16), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out ulong high)
            || !ulong.TryParse(text.AsSpan(16), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out ulong low))
        {
            return false;
        }

        id = new InstanceId(high, low);
        return true;
    }

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{High:x16}{Low:x16}");
}
