using System.Buffers.Text;

namespace Ambrosia.Serialization;

/// <summary>Guids, as 36 characters of text.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct GuidFormatter : IFormatter<Guid>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, Guid value)
    {
        Span<byte> text = stackalloc byte[36];
        value.TryFormat(text, out int written);
        writer.WriteUtf8(text[..written]);
    }

    /// <inheritdoc/>
    public Guid Read(ref MessagePackReader reader)
    {
        ReadOnlySpan<byte> text = reader.ReadUtf8();
        if (!Utf8Parser.TryParse(text, out Guid value, out int consumed) || consumed != text.Length)
        {
            reader.ThrowOutOfRange("Guid");
        }

        return value;
    }
}
