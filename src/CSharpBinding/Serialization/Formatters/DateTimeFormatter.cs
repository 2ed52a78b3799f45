namespace Ambrosia.Serialization;

/// <summary>
/// Points in time, as the format's timestamp. They arrive as UTC: a local time is converted, an unspecified one is taken as UTC.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct DateTimeFormatter : IFormatter<DateTime>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, DateTime value) => writer.WriteTimestamp(value);

    /// <inheritdoc/>
    public DateTime Read(ref MessagePackReader reader) => reader.ReadTimestamp();
}
