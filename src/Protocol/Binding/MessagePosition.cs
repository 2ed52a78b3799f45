using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Ambrosia.Protocol;

/// <summary>
/// Names a message for ever: the LSN of its record and its index among the record's messages. Printed <c>17:3</c>. Data of a Skip message:
/// varint LSN · varint index.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct MessagePosition(ulong Lsn, int Index) : IComparable<MessagePosition>
{
    /// <summary>Largest encoding, in bytes.</summary>
    public const int MaxSize = Varint.MaxSize64 + Varint.MaxSize32;

    /// <summary>The first message behind this one's record.</summary>
    public MessagePosition NextRecord => new(Lsn + 1, 0);

    /// <summary>Writes it and returns the bytes used.</summary>
    public int Write(Span<byte> destination)
    {
        int size = Varint.Write(destination, Lsn);
        return size + Varint.Write(destination[size..], (ulong)Index);
    }

    /// <summary>Reads the data of a Skip message.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static MessagePosition ReadSkip(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        MessagePosition position = Read(ref reader, "skip");
        reader.ExpectEnd("skip");
        return position;
    }

    /// <summary>Reads it as part of something else.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static MessagePosition Read(ref ByteReader reader, string what) =>
        new(reader.ReadVarint(what), reader.ReadLength(int.MaxValue, what));

    /// <summary>Reads <c>17:3</c>.</summary>
    public static bool TryParse([NotNullWhen(true)] string? text, out MessagePosition position)
    {
        string[] parts = (text ?? "").Split(':');
        position = default;
        if (parts.Length != 2
            || !ulong.TryParse(parts[0], NumberStyles.None, CultureInfo.InvariantCulture, out ulong lsn)
            || !int.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out int index))
        {
            return false;
        }

        position = new MessagePosition(lsn, index);
        return true;
    }

    /// <summary>In the order of the log.</summary>
    public int CompareTo(MessagePosition other) => Lsn == other.Lsn ? Index.CompareTo(other.Index) : Lsn.CompareTo(other.Lsn);

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Lsn}:{Index}");

    /// <summary>Earlier in the log.</summary>
    public static bool operator <(MessagePosition left, MessagePosition right) => left.CompareTo(right) < 0;

    /// <summary>Later in the log.</summary>
    public static bool operator >(MessagePosition left, MessagePosition right) => left.CompareTo(right) > 0;

    /// <summary>Not later in the log.</summary>
    public static bool operator <=(MessagePosition left, MessagePosition right) => left.CompareTo(right) <= 0;

    /// <summary>Not earlier in the log.</summary>
    public static bool operator >=(MessagePosition left, MessagePosition right) => left.CompareTo(right) >= 0;
}
