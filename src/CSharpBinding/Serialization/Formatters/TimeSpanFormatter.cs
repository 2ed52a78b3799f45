namespace Ambrosia.Serialization;

/// <summary>Durations, in ticks of 100 ns.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct TimeSpanFormatter : IFormatter<TimeSpan>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, TimeSpan value) => writer.WriteInt64(value.Ticks);

    /// <inheritdoc/>
    public TimeSpan Read(ref MessagePackReader reader) => new(reader.ReadInt64());
}
