namespace Ambrosia.Primitives;

/// <summary>Fencing number of a right to append. Grows by one at every acquisition, plain restarts included; 0 means none yet.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct Epoch(ulong Value) : IComparable<Epoch>
{
    /// <summary>No epoch was opened yet.</summary>
    public static Epoch None => default;

    /// <summary>The epoch that the next holder opens.</summary>
    public Epoch Next => new(checked(Value + 1));

    public int CompareTo(Epoch other) => Value.CompareTo(other.Value);

    public static bool operator <(Epoch left, Epoch right) => left.Value < right.Value;

    public static bool operator >(Epoch left, Epoch right) => left.Value > right.Value;

    public static bool operator <=(Epoch left, Epoch right) => left.Value <= right.Value;

    public static bool operator >=(Epoch left, Epoch right) => left.Value >= right.Value;

    public override string ToString() => Value.ToString(System.Globalization.CultureInfo.InvariantCulture);
}
