namespace Ambrosia.Simulation.Tests;

/// <summary>Which versions of the app have made a state what it is: after which record each began, the first behind none.</summary>
internal sealed class Lineage
{
    private readonly (ulong Behind, int Version)[] _changes;
    // Without versions that have executed nothing: of a state that went through one, and of one that did not, nobody can tell which it is.
    private readonly (ulong Behind, int Version)[] _seen;

    private Lineage((ulong Behind, int Version)[] changes)
    {
        _changes = changes;
        var seen = new List<(ulong Behind, int Version)>();
        foreach ((ulong behind, int version) in changes)
        {
            seen.RemoveAll(change => change.Behind >= behind);
            if (seen.Count == 0 || seen[^1].Version != version)
            {
                seen.Add((behind, version));
            }
        }

        _seen = [.. seen];
    }

    /// <summary>A state of the first version, never converted.</summary>
    public static Lineage First { get; } = new([(0, 1)]);

    /// <summary>The version that the state is of.</summary>
    public int Newest => _changes[^1].Version;

    /// <summary>How often the state became this version.</summary>
    public int CountOf(int version) => _seen.Skip(1).Count(change => change.Version == version);

    /// <summary>The same, converted after a record.</summary>
    public Lineage With(ulong behind, int version) => Newest == version ? this : new Lineage([.. _changes, (behind, version)]);

    /// <summary>What of it lies before a record.</summary>
    public Lineage Before(ulong lsn) => _changes[^1].Behind < lsn ? this : new Lineage([.. _changes.Where(change => change.Behind < lsn)]);

    /// <summary>Where it goes on beyond another one; null if it does not begin with all of that, or the other goes on beyond it.</summary>
    public ulong? LeavesBehind(Lineage other) =>
        Beyond(other._changes, _changes) is not null ? null : Beyond(_changes, other._changes) ?? Beyond(_seen, other._seen);

    public bool IsSame(Lineage other) => this == other || _seen.AsSpan().SequenceEqual(other._seen);

    public override string ToString() =>
        string.Join(", ", _changes.Select(static change => $"version {change.Version} behind {change.Behind}"));

    private static ulong? Beyond((ulong Behind, int Version)[] longer, (ulong Behind, int Version)[] shorter) =>
        longer.Length > shorter.Length && longer.AsSpan().StartsWith(shorter) ? longer[shorter.Length].Behind : null;
}
