using System.Text;

namespace Ambrosia.Serialization;

/// <summary>Unicode scalar values, as a number.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct RuneFormatter : IFormatter<Rune>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, Rune value) => writer.WriteInt64(value.Value);

    /// <inheritdoc/>
    public Rune Read(ref MessagePackReader reader)
    {
        int value = reader.ReadInt32();
        if (!Rune.TryCreate(value, out Rune rune))
        {
            reader.ThrowOutOfRange("Unicode scalar value");
        }

        return rune;
    }
}
