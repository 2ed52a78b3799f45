namespace Ambrosia.Serialization;

/// <summary>Dates, as days since 0001-01-01.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct DateOnlyFormatter : IFormatter<DateOnly>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, DateOnly value) => writer.WriteInt64(value.DayNumber);

    /// <inheritdoc/>
    public DateOnly Read(ref MessagePackReader reader)
    {
        int day = reader.ReadInt32();
        if (day < DateOnly.MinValue.DayNumber || day > DateOnly.MaxValue.DayNumber)
        {
            reader.ThrowOutOfRange("DateOnly");
        }

        return DateOnly.FromDayNumber(day);
    }
}
