namespace Ambrosia.Serialization;

/// <summary>Times of day, in ticks of 100 ns.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct TimeOnlyFormatter : IFormatter<TimeOnly>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, TimeOnly value) => writer.WriteInt64(value.Ticks);

    /// <inheritdoc/>
    public TimeOnly Read(ref MessagePackReader reader)
    {
        long ticks = reader.ReadInt64();
        if (ticks < TimeOnly.MinValue.Ticks || ticks > TimeOnly.MaxValue.Ticks)
        {
            reader.ThrowOutOfRange("TimeOnly");
        }

        return new TimeOnly(ticks);
    }
}
