using System.Buffers;
using System.Text;

namespace Ambrosia.Protocol;

/// <summary>
/// What an app's methods take and return, as JSON for machines (docs/internals/shapes.md). Data: string text. Sent after BecomingPrimary by
/// an app that agreed on <see cref="BindingFeatures.Shapes"/>.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record BindingShapes(string Text)
{
    /// <summary>Longest text, in bytes. A binding with a longer one sends none.</summary>
    public const int MaxBytes = 1 << 20;

    /// <summary>Whether a text may be sent: it is not too long, and is printed on one line.</summary>
    public static bool IsValid(string text) => Encoding.UTF8.GetByteCount(text) <= MaxBytes && !text.Any(char.IsControl);

    /// <summary>Writes the data of the message.</summary>
    public void Write(IBufferWriter<byte> output) => new ByteWriter(output).WriteString(Text, MaxBytes, "shapes");

    /// <summary>Reads the data of the message.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static BindingShapes Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        string text = reader.ReadString(MaxBytes, "shapes");
        reader.ExpectEnd("shapes");
        return IsValid(text) ? new BindingShapes(text) : throw new ProtocolException("shapes with control characters", 0);
    }
}
