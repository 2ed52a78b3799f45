using System.Buffers;
using System.Text;

namespace Ambrosia.Protocol;

/// <summary>
/// What an app answers to, for people: a line for each method, as in a contract file (interface, method id, signature, result). Data:
/// string text. Sent after BecomingPrimary by an app that agreed on <see cref="BindingFeatures.Contracts"/>.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record BindingContract(string Text)
{
    /// <summary>Longest text, in bytes. A binding with a longer one sends none.</summary>
    public const int MaxBytes = 1 << 20;

    /// <summary>Whether a text may be sent: it is not too long, and nothing in it acts on a terminal that it is shown at.</summary>
    public static bool IsValid(string text) =>
        Encoding.UTF8.GetByteCount(text) <= MaxBytes && !text.Any(static c => char.IsControl(c) && c != '\n');

    /// <summary>Writes the data of the message.</summary>
    public void Write(IBufferWriter<byte> output) => new ByteWriter(output).WriteString(Text, MaxBytes, "contract");

    /// <summary>Reads the data of the message.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static BindingContract Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        string text = reader.ReadString(MaxBytes, "contract");
        reader.ExpectEnd("contract");
        return IsValid(text) ? new BindingContract(text) : throw new ProtocolException("a contract with control characters", 0);
    }
}
