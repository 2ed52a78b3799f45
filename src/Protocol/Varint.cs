using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Ambrosia.Protocol;

/// <summary>
/// Variable-length integers: unsigned LEB128, and the zig-zag mapping that AMBROSIA's client protocol uses for signed ones.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class Varint
{
    /// <summary>Longest encoding of a 32-bit value, in bytes.</summary>
    public const int MaxSize32 = 5;

    /// <summary>Longest encoding of a 64-bit value, in bytes.</summary>
    public const int MaxSize64 = 10;

    /// <summary>Maps a signed value to an unsigned one so that small magnitudes stay short.</summary>
    public static ulong ZigZag(long value) => (ulong)((value << 1) ^ (value >> 63));

    /// <summary>Inverse of <see cref="ZigZag"/>.</summary>
    public static long UnZigZag(ulong value) => (long)(value >> 1) ^ -(long)(value & 1);

    /// <summary>Bytes that <see cref="Write"/> needs for the value.</summary>
    public static int Size(ulong value)
    {
        int size = 1;
        while (value >= 0x80)
        {
            value >>= 7;
            size++;
        }

        return size;
    }

    /// <summary>Bytes that the zig-zag encoding of the value needs.</summary>
    public static int SizeZigZag(long value) => Size(ZigZag(value));

    /// <summary>Writes the value and returns the bytes used. The span must have room.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Write(Span<byte> destination, ulong value)
    {
        int i = 0;
        while (value >= 0x80)
        {
            destination[i++] = (byte)(value | 0x80);
            value >>= 7;
        }

        destination[i++] = (byte)value;
        return i;
    }

    /// <summary>Writes the zig-zag encoding and returns the bytes used.</summary>
    public static int WriteZigZag(Span<byte> destination, long value) => Write(destination, ZigZag(value));

    /// <summary>
    /// Reads a value of at most ten bytes. False when the span ends inside it (more bytes may complete it) or when it
    /// does not fit 64 bits; <paramref name="size"/> is then 0 or -1 respectively.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryRead(ReadOnlySpan<byte> source, out ulong value, out int size)
    {
        if (source.Length > 0 && source[0] < 0x80)
        {
            value = source[0];
            size = 1;
            return true;
        }

        return TryReadLong(source, out value, out size);
    }

    /// <summary>Reads a zig-zag value; the outcome is as for <see cref="TryRead"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryReadZigZag(ReadOnlySpan<byte> source, out long value, out int size)
    {
        bool ok = TryRead(source, out ulong raw, out size);
        value = UnZigZag(raw);
        return ok;
    }

    private static bool TryReadLong(ReadOnlySpan<byte> source, out ulong value, out int size)
    {
        value = 0;
        for (int i = 0; i < source.Length && i < MaxSize64; i++)
        {
            byte b = source[i];
            // The tenth byte carries one bit only: anything more does not fit.
            if (i == MaxSize64 - 1 && b > 1)
            {
                break;
            }

            value |= (ulong)(b & 0x7F) << (7 * i);
            if (b < 0x80)
            {
                size = i + 1;
                return true;
            }
        }

        size = source.Length < MaxSize64 ? 0 : -1;
        return false;
    }

    [DoesNotReturn]
    internal static void ThrowMalformed(string what, long offset) =>
        throw new ProtocolException($"{what}: malformed or truncated integer", offset);
}
