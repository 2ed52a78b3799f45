using System.Buffers.Binary;
using System.Globalization;

namespace Ambrosia.Inspection.Text;

/// <summary>MessagePack's own timestamp (extension -1) as ISO 8601.</summary>
internal static class TimestampText
{
    /// <summary>Reads the 4, 8 and 12 byte forms.</summary>
    public static bool TryRead(ReadOnlySpan<byte> data, out string? text)
    {
        (long seconds, uint nanoseconds)? time = data.Length switch
        {
            4 => (BinaryPrimitives.ReadUInt32BigEndian(data), 0),
            8 => ((long)(BinaryPrimitives.ReadUInt64BigEndian(data) & 0x3_FFFF_FFFF),
                (uint)(BinaryPrimitives.ReadUInt64BigEndian(data) >> 34)),
            12 => (BinaryPrimitives.ReadInt64BigEndian(data[4..]), BinaryPrimitives.ReadUInt32BigEndian(data)),
            _ => null,
        };
        text = null;
        if (time is not { } known || known.seconds is < -62_135_596_800 or > 253_402_300_799)
        {
            return false;
        }

        text = DateTimeOffset.FromUnixTimeSeconds(known.seconds)
            .AddTicks(known.nanoseconds / 100).UtcDateTime.ToString("O", CultureInfo.InvariantCulture);
        return true;
    }
}
