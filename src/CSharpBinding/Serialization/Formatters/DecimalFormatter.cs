using System.Globalization;

namespace Ambrosia.Serialization;

/// <summary>Decimal numbers, as text that keeps every digit, trailing zeros included.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct DecimalFormatter : IFormatter<decimal>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, decimal value)
    {
        Span<byte> text = stackalloc byte[32];
        value.TryFormat(text, out int written, default, CultureInfo.InvariantCulture);
        writer.WriteUtf8(text[..written]);
    }

    /// <inheritdoc/>
    public decimal Read(ref MessagePackReader reader)
    {
        if (!decimal.TryParse(reader.ReadUtf8(), NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint,
            CultureInfo.InvariantCulture, out decimal value))
        {
            reader.ThrowOutOfRange("Decimal");
        }

        return value;
    }
}
