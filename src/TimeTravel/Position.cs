using System.Globalization;

namespace Ambrosia.TimeTravel;

/// <summary>
/// A message's place in a log, written <c>17:3</c>: record 17, fourth message. A state "at" a position is the state after that message was
/// executed. An index of <see cref="WholeRecord"/>, written <c>17</c>, means the end of the record.
/// </summary>
/// <param name="Lsn">The record.</param>
/// <param name="Index">The message within it, from 0.</param>
public readonly record struct Position(ulong Lsn, int Index) : IComparable<Position>
{
    /// <summary>Index that stands for the end of a record.</summary>
    public const int WholeRecord = int.MaxValue;

    /// <summary>The end of a record.</summary>
    public static Position After(ulong lsn) => new(lsn, WholeRecord);

    /// <summary>Reads <c>17:3</c> or <c>17</c>.</summary>
    public static bool TryParse(string text, out Position position)
    {
        ArgumentNullException.ThrowIfNull(text);
        string[] parts = text.Split(':');
        int index = WholeRecord;
        bool valid = ulong.TryParse(parts[0], NumberStyles.None, CultureInfo.InvariantCulture, out ulong lsn)
            && (parts.Length == 1
                || (parts.Length == 2 && int.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out index)));
        position = valid ? new Position(lsn, index) : default;
        return valid;
    }

    /// <inheritdoc/>
    public int CompareTo(Position other) => Lsn != other.Lsn ? Lsn.CompareTo(other.Lsn) : Index.CompareTo(other.Index);

    /// <summary>As <c>17:3</c>, or <c>17</c> for the end of a record.</summary>
    public override string ToString() => Index == WholeRecord
        ? Lsn.ToString(CultureInfo.InvariantCulture)
        : string.Create(CultureInfo.InvariantCulture, $"{Lsn}:{Index}");

    /// <inheritdoc/>
    public static bool operator <(Position left, Position right) => left.CompareTo(right) < 0;

    /// <inheritdoc/>
    public static bool operator >(Position left, Position right) => left.CompareTo(right) > 0;

    /// <inheritdoc/>
    public static bool operator <=(Position left, Position right) => left.CompareTo(right) <= 0;

    /// <inheritdoc/>
    public static bool operator >=(Position left, Position right) => left.CompareTo(right) >= 0;
}
