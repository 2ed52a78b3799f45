namespace Ambrosia.Serialization;

/// <summary>32-bit signed integers.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct Int32Formatter : IFormatter<int>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, int value) => writer.WriteInt64(value);

    /// <inheritdoc/>
    public int Read(ref MessagePackReader reader) => reader.ReadInt32();
}
