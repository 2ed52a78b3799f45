using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Ambrosia.Protocol;

/// <summary>
/// Names an awakeable. Everybody that knows it may complete it: its last 16 bytes are an HMAC-SHA-256, by the instance's secret, of the
/// instance's id and the bytes before. As text it is base64url of: varint number · 4 bytes type · 16 bytes MAC.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct AwakeableId : IEquatable<AwakeableId>
{
    private const int TypeSize = 4;
    private const int MacSize = 16;
    private const int MaxBytes = Varint.MaxSize64 + TypeSize + MacSize;
    private const int MaxText = (MaxBytes * 4 / 3) + 1;
    private readonly byte[]? _bytes;

    private AwakeableId(byte[] bytes, long number, uint type) => (_bytes, Number, Type) = (bytes, number, type);

    /// <summary>Number of the awakeable among the app's calls.</summary>
    public long Number { get; }

    /// <summary>Which type its value has, as the app's shapes call it (docs/internals/shapes.md).</summary>
    public uint Type { get; }

    /// <summary>Names one.</summary>
    /// <param name="key">The instance's key.</param>
    /// <param name="instance">The instance's id.</param>
    /// <param name="number">Number of the awakeable among the app's calls.</param>
    /// <param name="type">Which type its value has.</param>
    public static AwakeableId Make(AwakeableKey key, Guid instance, long number, uint type)
    {
        Span<byte> bytes = stackalloc byte[MaxBytes];
        int size = Varint.Write(bytes, (ulong)number);
        BinaryPrimitives.WriteUInt32BigEndian(bytes[size..], type);
        size += TypeSize;
        Mac(key, instance, bytes[..size], bytes.Slice(size, MacSize));
        return new AwakeableId(bytes[..(size + MacSize)].ToArray(), number, type);
    }

    /// <summary>Reads a text; false if it is none that <see cref="Make"/> gives, whatever the key.</summary>
    public static bool TryParse(string text, out AwakeableId id)
    {
        id = default;
        if (text.Length is 0 or > MaxText || !text.All(static c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_'))
        {
            return false;
        }

        Span<byte> bytes = stackalloc byte[MaxBytes + 3];
        string padded = text.Replace('-', '+').Replace('_', '/').PadRight((text.Length + 3) / 4 * 4, '=');
        if (!Convert.TryFromBase64String(padded, bytes, out int size)
            || !Varint.TryRead(bytes[..size], out ulong number, out int read) || size != read + TypeSize + MacSize
            || number is 0 or > long.MaxValue)
        {
            return false;
        }

        id = new AwakeableId(
            bytes[..size].ToArray(), (long)number, BinaryPrimitives.ReadUInt32BigEndian(bytes[read..]));
        return id.ToString() == text; // One text for each: repeats are told by it.
    }

    /// <summary>Whether this instance has named it.</summary>
    public bool IsGenuine(AwakeableKey key, Guid instance)
    {
        if (_bytes is null)
        {
            return false;
        }

        Span<byte> mac = stackalloc byte[MacSize];
        Mac(key, instance, _bytes.AsSpan(0, _bytes.Length - MacSize), mac);
        return CryptographicOperations.FixedTimeEquals(mac, _bytes.AsSpan(_bytes.Length - MacSize));
    }

    /// <inheritdoc/>
    public override string ToString() => _bytes is null ? ""
        : Convert.ToBase64String(_bytes).TrimEnd('=').Replace('+', '-').Replace('/', '_');

    /// <inheritdoc/>
    public bool Equals(AwakeableId other) => ToString() == other.ToString();

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is AwakeableId other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => ToString().GetHashCode(StringComparison.Ordinal);

    /// <summary>Whether both are the same.</summary>
    public static bool operator ==(AwakeableId left, AwakeableId right) => left.Equals(right);

    /// <summary>Whether they are two.</summary>
    public static bool operator !=(AwakeableId left, AwakeableId right) => !left.Equals(right);

    private static void Mac(AwakeableKey key, Guid instance, ReadOnlySpan<byte> named, Span<byte> mac)
    {
        Span<byte> text = stackalloc byte[16 + MaxBytes];
        instance.TryWriteBytes(text);
        named.CopyTo(text[16..]);
        Span<byte> whole = stackalloc byte[HMACSHA256.HashSizeInBytes];
        HMACSHA256.HashData(key.Secret.Span, text[..(16 + named.Length)], whole);
        whole[..MacSize].CopyTo(mac);
    }
}
