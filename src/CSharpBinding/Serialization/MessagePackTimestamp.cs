using System.Buffers.Binary;

namespace Ambrosia.Serialization;

/// <summary>The extension of MessagePack that holds a point in time, in 4, 8 or 12 bytes.</summary>
internal static class MessagePackTimestamp
{
    /// <summary>Whether an extension of this type, with so many bytes, is one.</summary>
    public static bool Is(int type, int size) => type == MessagePackCode.Timestamp && size is (4 or 8 or 12);

    /// <summary>The time in UTC, without fractions below 100 ns; null if no <see cref="DateTime"/> can hold it.</summary>
    public static DateTime? Read(ReadOnlySpan<byte> body)
    {
        (long seconds, uint nanoseconds) = body.Length switch
        {
            4 => (BinaryPrimitives.ReadUInt32BigEndian(body), 0u),
            8 => Split(BinaryPrimitives.ReadUInt64BigEndian(body)),
            _ => (BinaryPrimitives.ReadInt64BigEndian(body[4..]), BinaryPrimitives.ReadUInt32BigEndian(body)),
        };
        return nanoseconds > 999_999_999 || seconds < DateTimeOffset.MinValue.ToUnixTimeSeconds()
            || seconds > DateTimeOffset.MaxValue.ToUnixTimeSeconds() ? null
            : DateTime.UnixEpoch.AddTicks((seconds * TimeSpan.TicksPerSecond) + (nanoseconds / 100));
    }

    private static (long Seconds, uint Nanoseconds) Split(ulong value) => ((long)(value & 0x3_ffff_ffff), (uint)(value >> 34));
}
