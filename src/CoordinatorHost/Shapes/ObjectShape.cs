namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>An object with members: in messages a map by name, or an array by position.</summary>
internal sealed record ObjectShape(int Number, string Name, bool IsArray) : NamedShape(Number, Name)
{
    private Dictionary<string, int> _byName = [];

    /// <summary>Its members, in the order of messages.</summary>
    public IReadOnlyList<MemberShape> Members { get; private set; } = [];

    /// <summary>Says what it consists of.</summary>
    public void Complete(IReadOnlyList<MemberShape> members)
    {
        Members = members;
        bool isPlain = members.Select(static member => member.Name).Distinct(StringComparer.OrdinalIgnoreCase).Count() == members.Count;
        _byName = new Dictionary<string, int>(isPlain ? StringComparer.OrdinalIgnoreCase : StringComparer.Ordinal);
        for (int i = 0; i < members.Count; i++)
        {
            _byName[members[i].Name] = i;
        }
    }

    /// <summary>Which member has this name, in any case where that is clear; -1 for none.</summary>
    public int IndexOf(string name) => _byName.GetValueOrDefault(name, -1);

    /// <inheritdoc/>
    public bool Equals(ObjectShape? other) => ReferenceEquals(this, other);

    /// <inheritdoc/>
    public override int GetHashCode() => Number;
}
