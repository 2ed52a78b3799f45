namespace Ambrosia.Serialization;

/// <summary>Points in time with their offset: an array of the clock time, as a timestamp, and the offset in minutes.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct DateTimeOffsetFormatter : IFormatter<DateTimeOffset>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, DateTimeOffset value)
    {
        writer.WriteArrayHeader(2);
        writer.WriteTimestamp(new DateTime(value.Ticks, DateTimeKind.Utc));
        writer.WriteInt64((long)value.Offset.TotalMinutes);
    }

    /// <inheritdoc/>
    public DateTimeOffset Read(ref MessagePackReader reader)
    {
        reader.ReadArrayHeader(2);
        DateTime clock = reader.ReadTimestamp();
        int minutes = reader.ReadInt16();
        long utcTicks = clock.Ticks - (minutes * TimeSpan.TicksPerMinute);
        if (minutes is < -14 * 60 or > 14 * 60 || utcTicks < 0 || utcTicks > DateTime.MaxValue.Ticks)
        {
            reader.ThrowOutOfRange("DateTimeOffset");
        }

        return new DateTimeOffset(clock.Ticks, TimeSpan.FromMinutes(minutes));
    }
}
