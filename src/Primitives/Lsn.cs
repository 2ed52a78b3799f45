namespace Ambrosia.Primitives;

/// <summary>Position of a record in one immortal's write-ahead log. Gapless from 1; <see cref="None"/> precedes the first.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct Lsn(ulong Value) : IComparable<Lsn>
{
    /// <summary>Precedes the first record: "nothing yet".</summary>
    public static Lsn None => default;

    /// <summary>The position after this one.</summary>
    public Lsn Next => new(checked(Value + 1));

    /// <summary>The position before this one; <see cref="None"/> for the first record.</summary>
    public Lsn Previous => new(checked(Value - 1));

    public int CompareTo(Lsn other) => Value.CompareTo(other.Value);

    public static bool operator <(Lsn left, Lsn right) => left.Value < right.Value;

    public static bool operator >(Lsn left, Lsn right) => left.Value > right.Value;

    public static bool operator <=(Lsn left, Lsn right) => left.Value <= right.Value;

    public static bool operator >=(Lsn left, Lsn right) => left.Value >= right.Value;

    /// <summary>The smaller of two positions.</summary>
    public static Lsn Min(Lsn left, Lsn right) => left < right ? left : right;

    /// <summary>The larger of two positions.</summary>
    public static Lsn Max(Lsn left, Lsn right) => left > right ? left : right;

    public override string ToString() => Value.ToString(System.Globalization.CultureInfo.InvariantCulture);
}
